import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { MetricDefinition } from '@berth/process/metrics'
import { readCatalogues } from '../generate/catalogues.ts'
import { alertGroups } from './alerts/alert-groups.ts'
import { dashboards } from './dashboards/dashboards.ts'
import { allQueries } from './queries.ts'
import { queryFaults } from './query-faults.ts'
import { runbookFaults, type RunbookNames } from './runbook-faults.ts'

const root = join(import.meta.dirname, '../..')
const alerts = alertGroups.flatMap((group) => group.alerts)
const pages = new Map(
  globSync('docs/runbook/Berth*.md', { cwd: root }).map((path) => [
    basename(path, '.md'),
    readFileSync(join(root, path), 'utf8'),
  ]),
)
let metrics: readonly MetricDefinition[] = []
let names: RunbookNames

beforeAll(async () => {
  metrics = (await readCatalogues(root)).flatMap((catalogue) => catalogue.metrics)
  names = {
    alerts: alerts.map(({ name }) => name),
    metrics: new Set(metrics.map(({ name }) => name)),
    commands: new Set(
      globSync('apps/kubectl-berth/src/*/*-command.ts', { cwd: root })
        .filter((path) => basename(path) === `${basename(dirname(path))}-command.ts`)
        .map((path) => basename(dirname(path))),
    ),
  }
}, 60_000)

describe('alerts', () => {
  test('have unique names, and texts that are sentences', () => {
    expect(alerts.length).toBeGreaterThan(25)
    expect(new Set(names.alerts).size).toBe(alerts.length)
    expect(alerts.filter(({ name }) => !/^Berth[A-Z]\w+$/.test(name))).toEqual([])
    expect(alerts.filter(({ summary, description }) => !`${summary}${description}`.endsWith('.'))).toEqual([])
    expect(alerts.filter(({ holdsFor }) => !/^\d+[mh]$/.test(holdsFor))).toEqual([])
  })
})

describe('queries of alerts and dashboards', () => {
  test('use only metrics, labels and values that the apps have', () => {
    const queries = allQueries(alertGroups, dashboards)
    expect(queries.length).toBeGreaterThan(60)
    expect(queryFaults(queries, metrics)).toEqual([])
  })

  test.for([
    { expr: 'sum by (job (up{job="$job"})', says: 'not PromQL' },
    { expr: 'berth_scheduler_no_such{job="$job"}', says: 'no app has the metric berth_scheduler_no_such' },
    { expr: 'berth_scheduler_bind_total{job="$job", verb="x"}', says: 'berth_scheduler_bind_total has no label verb' },
    { expr: 'sum by (verb) (berth_scheduler_bind_total{job="$job"})', says: 'no metric has the label verb' },
    { expr: 'berth_scheduler_bind_total{job="$job", outcome="x"}', says: 'does not name outcome="x"' },
    { expr: 'berth_scheduler_bind_total', says: 'select job="$job"' },
    { expr: 'berth_scheduler_bind_duration_seconds{job="$job"}', says: 'no app has the metric' },
  ])('$expr is noticed', ({ expr, says }) => {
    expect(queryFaults([{ place: 'here', expr }], metrics)).toEqual([expect.stringContaining(says)])
  })
})

describe('the runbook', () => {
  test('has a page for each alert, and no others, with metrics and commands that exist', () => {
    expect(runbookFaults(pages, names)).toEqual([])
  })

  test('an alert without a page, a page without an alert, and names that do not exist are noticed', () => {
    const [[first, text] = ['', '']] = [...pages]
    const page = (change: string): ReadonlyMap<string, string> => new Map([...pages, [first, text + change]])
    const only = (one: ReadonlyMap<string, string>): readonly string[] => runbookFaults(one, names)
    expect(only(new Map([...pages].filter(([name]) => name !== first)))).toEqual([
      `${first}: docs/runbook/${first}.md is missing`,
    ])
    expect(only(new Map([...pages, ['BerthOld', text]]))).toEqual(['docs/runbook/BerthOld.md: no alert has this name'])
    expect(only(page('berth_scheduler_no_such'))).toEqual([
      expect.stringContaining('no metric berth_scheduler_no_such'),
    ])
    expect(only(page('kubectl berth repair'))).toEqual([expect.stringContaining('no kubectl berth repair')])
    expect(only(page('kubectl logs deployment/berth-scheduler --since 30m'))).toEqual([
      expect.stringContaining('add --all-pods'),
    ])
    expect(only(page('kubectl auth can-i patch nodes/status'))).toEqual([expect.stringContaining('--subresource')])
    expect(only(page('\n# More'))).toEqual([expect.stringContaining('sections')])
  })

  test('links only to pages that exist', () => {
    const links = [...pages.values()].flatMap((text) => [...text.matchAll(/\]\((Berth\w+)\.md\)/g)].map(([, to]) => to))
    expect(links.length).toBeGreaterThan(3)
    expect(links.filter((to) => !pages.has(to ?? ''))).toEqual([])
  })
})
