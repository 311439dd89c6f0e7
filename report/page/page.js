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

  const series = Array.from({length: 8}, (_, i) => `var(--series-${i + 1})`);
  const words = {labelColor: 'var(--ink)', titleColor: 'var(--quiet)', titleFontWeight: 'normal', labelFontSize: 12, titleFontSize: 12};
  const config = {
    background: 'transparent',
    font: 'system-ui, "DejaVu Sans", sans-serif',
    view: {stroke: null},
    axis: {...words, domainColor: 'var(--quiet)', tickColor: 'var(--quiet)', gridColor: 'var(--line)', labelLimit: 150},
    legend: {...words, orient: 'bottom', labelLimit: 220, symbolStrokeWidth: 2, columns: {signal: 'width < 420 ? 1 : 4'}},
    header: words,
    mark: {color: series[0]},
    text: {color: 'var(--ink)'},
    rule: {color: 'var(--ink)'},
    range: {category: series},
    style: {
      reference: {stroke: 'var(--quiet)', strokeDash: [4, 4]},
      interval: {stroke: series[0], strokeWidth: 3},
      mean: {fill: 'var(--ink)'},
      dot: {stroke: 'var(--panel)'},
      band: {fill: 'var(--quiet)', fillOpacity: 0.25},
    },
  };
  const options = {
    mode: 'vega-lite',
    renderer: 'svg',
    actions: false,
    defaultStyle: false,
    ast: true,
    hover: false,
    config,
    tooltip: {disableDefaultStyle: true},
  };
  const draw = (figure) => {
    const chart = JSON.parse(document.getElementById(`spec-${figure.dataset.chart}`).textContent);
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
