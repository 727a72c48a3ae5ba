import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '@berth/process/testing'
import { eventually, ProcessGroup } from '@berth/testing'
import { alertGroups } from '@berth/tools/observability/alerts/alert-groups'
import { dashboards } from '@berth/tools/observability/dashboards/dashboards'
import { allQueries } from '@berth/tools/observability/queries'
import { parseQuery } from '@berth/tools/observability/series-selectors'
import { createNarrator } from '@berth/tools/story/narrator'
import { storySteps } from '@berth/tools/story/story'
import { createStoryContext, type StoryContext } from '@berth/tools/story/story-context'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPrometheus, type Prometheus } from '../../observability/start-prometheus.ts'

const JOB = 'berth-system/berth'
const queries = allQueries(alertGroups, dashboards).map(({ place, expr }) => ({
  place,
  expr: expr.replaceAll('$job', JOB),
}))
const alerts = alertGroups.flatMap((group) => group.alerts)
// Short, because the paths of unix sockets below it are limited to 107 bytes.
const dir = mkdtempSync(join(tmpdir(), 'ob-'))
const parts = new AsyncDisposableStack()
let prometheus: Prometheus

/** Runs the story on the embedded cluster, without its last chapter, which withdraws everything. */
async function runStory(): Promise<StoryContext> {
  const processes = parts.use(new ProcessGroup())
  const root = join(import.meta.dirname, '../../..')
  const narrator = createNarrator({ write() {}, columns: 80, paceMs: 0, isTerminal: false, hasColors: false })
  const story = parts.use(createStoryContext({ root, dir, narrator, processes, signal: processes.lost }))
  for (const step of storySteps().slice(0, -1)) await step.run(story)
  return story
}

/** Starts the authority, which the story does not have. Returns the address of its metrics. */
async function startAuthority(kubeconfig: string): Promise<string> {
  const program = startProgram(join(import.meta.dirname, '../../../apps/authority/src/main.ts'), [
    `--kubeconfig=${kubeconfig}`,
    '--namespace=default',
    '--lease=default/berth-authority',
    '--health-address=127.0.0.1:0',
  ])
  parts.defer(async () => {
    program.child.kill('SIGTERM')
    await program.ended
  })
  const { address } = await program.line('Serving health')
  await program.line('Keeping certificates up to date')
  return String(address)
}

beforeAll(async () => {
  const story = await runStory()
  const targets = [
    ...[...story.apps.values()].map(({ healthUrl }) => healthUrl.replace('http://', '')),
    await startAuthority(story.kubeconfig),
  ]
  prometheus = parts.use(await startPrometheus(join(dir, 'prometheus'), JOB, targets))
  await eventually(
    async () => {
      const { result } = await prometheus
        .query<{ readonly result: readonly unknown[] }>('query', { query: 'up == 1' })
        .catch(() => ({ result: [] }))
      return result.length === targets.length ? true : undefined
    },
    { what: 'Prometheus to read all apps', timeoutMs: 120_000, signal: story.signal },
  )
})
afterAll(async () => {
  await parts.disposeAsync()
  rmSync(dir, { recursive: true })
})

test('Prometheus evaluates every query of the alerts and dashboards', async () => {
  expect(queries.length).toBeGreaterThan(60)
  for (const { expr } of queries) await prometheus.query('query', { query: expr })
})

test('the running apps serve every metric that a query names', async () => {
  const served = await prometheus.query<readonly { readonly metric: string }[]>('targets/metadata')
  const names = new Set(served.flatMap(({ metric }) => [metric, `${metric}_bucket`]))
  const named = new Set(queries.flatMap(({ expr }) => parseQuery(expr).selectors.map(({ metric }) => metric)))
  named.delete('up')
  expect(named.size).toBeGreaterThan(40)
  expect([...named].filter((metric) => !names.has(metric))).toEqual([])
})

test('the series of these metrics have every label that a query selects', async () => {
  const missing: string[] = []
  let found = 0
  for (const { place, expr } of queries) {
    for (const { metric, matchers } of parseQuery(expr).selectors) {
      const series = await prometheus.query<readonly Readonly<Record<string, string>>[]>('series', {
        'match[]': metric,
      })
      if (series.length > 0) found++
      for (const { label } of series.length === 0 ? [] : matchers)
        if (!series.some((labels) => Object.hasOwn(labels, label))) missing.push(`${place}: ${metric} has no ${label}`)
    }
  }
  expect(found).toBeGreaterThan(60)
  expect(missing).toEqual([])
})

test('the condition of no alert holds at the end of the story, when everything is healthy again', async () => {
  const held: string[] = []
  for (const { name, expr } of alerts) {
    const { result } = await prometheus.query<{ readonly result: readonly unknown[] }>('query', {
      query: expr.replaceAll('$job', JOB),
    })
    if (result.length > 0) held.push(name)
  }
  expect(held).toEqual([])
})
