import { allPanels, type Dashboard } from './dashboard.ts'

const DATA_SOURCE = { type: 'prometheus', uid: '${datasource}' }
const COLUMNS = 2
/** Grafana divides the width into 24 parts. */
const WIDTH = 24 / COLUMNS
const HEIGHT = 8

/** Returns the dashboard as Grafana imports it (schema version 39, Grafana 10.4). */
export function grafanaJson(dashboard: Dashboard): object {
  return {
    uid: dashboard.name,
    title: dashboard.title,
    tags: ['berth'],
    schemaVersion: 39,
    editable: false,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          name: 'job',
          label: 'Job',
          type: 'query',
          datasource: DATA_SOURCE,
          query: { query: `label_values(${dashboard.presence}, job)`, refId: 'job' },
          refresh: 2,
        },
      ],
    },
    panels: allPanels(dashboard).map(({ title, unit = 'short', queries }, index) => ({
      id: index + 1,
      title,
      type: 'timeseries',
      datasource: DATA_SOURCE,
      gridPos: { x: (index % COLUMNS) * WIDTH, y: Math.floor(index / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(({ expr, legend }, query) => ({
        refId: String.fromCodePoint('A'.codePointAt(0)! + query),
        datasource: DATA_SOURCE,
        expr,
        legendFormat: legend,
      })),
    })),
  }
}
