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
    axisQuantitative: {labelOverlap: 'greedy', labelSeparation: 8},
    legend: {...words, orient: 'bottom', labelLimit: 220, symbolStrokeWidth: 2, columns: {signal: 'width < 420 ? 1 : 4'}},
    header: words,
    mark: {color: series[0]},
    text: {color: 'var(--ink)'},
    rule: {color: 'var(--ink)'},
    range: {category: series},
    style: {
      reference: {color: 'var(--quiet)', strokeDash: [4, 4]},
      interval: {color: series[0], strokeWidth: 3},
      mean: {color: 'var(--ink)', opacity: 1},
      dot: {stroke: 'var(--panel)'},
      band: {color: 'var(--quiet)', opacity: 0.25},
    },
  };
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
