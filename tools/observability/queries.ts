import type { AlertGroup } from './alerts/alert.ts'
import { allPanels, type Dashboard } from './dashboards/dashboard.ts'

/** A query of an alert or a dashboard, and where it is. */
export interface NamedQuery {
  readonly place: string
  /** PromQL without variables of Grafana, apart from `$job`. */
  readonly expr: string
}

/** Returns every query of the alerts and dashboards. */
export function allQueries(groups: readonly AlertGroup[], boards: readonly Dashboard[]): readonly NamedQuery[] {
  return [
    ...groups.flatMap(({ alerts }) => alerts.map(({ name, expr }) => ({ place: name, expr }))),
    ...boards.flatMap((board) =>
      allPanels(board).flatMap(({ title, queries }) =>
        queries.map(({ expr }) => ({
          place: `${board.title}: ${title}`,
          expr: expr.replaceAll('$__rate_interval', '5m'),
        })),
      ),
    ),
  ]
}
