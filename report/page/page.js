'use strict';
// Draws the charts of the page. All colours are names of the style sheet, so that light, dark and print need no second
// drawing. Nothing is evaluated: vega's interpreter walks the expressions (ast), as the page's policy demands.
(() => {
  // The policy refuses style attributes that are set as text; the same declarations through the object model are allowed.
  const setAttribute = Element.prototype.setAttribute;
  Element.prototype.setAttribute = function (name, value) {
    if (name === 'style') this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };

  const config = JSON.parse(document.getElementById('chart-config').textContent);
  config.legend.columns = {signal: 'width < 420 ? 1 : 4'};  // of a page on a phone
  const options = {
    mode: 'vega-lite',
    renderer: 'svg',
    actions: false,
    defaultStyle: false,
    ast: true,
    hover: false,
    logLevel: vega.Error,  // vega-lite warns of the heights of charts, as it should not
    config,
    tooltip: {disableDefaultStyle: true},
  };
  const draw = (figure) => {
    const chart = JSON.parse(document.getElementById(`spec-${figure.dataset.chart}`).textContent);
    if (chart.facet) {  // as many small charts in a line as there is room for
      const room = (figure.clientWidth + chart.spacing) / (chart.spec.width + chart.spacing);
      chart.columns = Math.max(1, Math.floor(room));
    }
    return vegaEmbed(figure, chart, options).then(
      () => figure.setAttribute('data-drawn', 'yes'),
      (error) => {
        figure.textContent = 'The chart could not be drawn; the table has its numbers.';
        figure.setAttribute('data-failed', String(error));
      },
    );
  };
  const charts = Array.from(document.querySelectorAll('[data-chart]'));
  Promise.all(charts.map(draw)).then(() => document.documentElement.setAttribute('data-ready', 'yes'));
})();
