import { describe, expect, test } from 'vitest'
import { find, type ChartObject } from './chart-object.ts'
import { refusal, render, type HelmOptions } from './render.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook_url', string>>
}
const operator = ['--api-versions', 'monitoring.coreos.com/v1']

function rulesOf(objects: readonly ChartObject[]): readonly Rule[] {
  const { groups } = find(objects, 'PrometheusRule', 'berth').spec as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[]
  }
  return groups.flatMap(({ rules }) => rules)
}

async function alerts(prometheusRule: object = {}, options: HelmOptions = {}): Promise<readonly Rule[]> {
  const values = { prometheusRule: { enabled: true, ...prometheusRule } }
  return rulesOf(await render({ profile: 'full', flags: operator, ...options, values }))
}

const dashboardsOf = (objects: readonly ChartObject[]): readonly ChartObject[] =>
  objects.filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.includes('-dashboard-'))

test('alerts and dashboards are not created by default', async () => {
  const objects = await render({ profile: 'full', flags: operator })
  expect(objects.filter(({ kind }) => kind === 'PrometheusRule')).toEqual([])
  expect(dashboardsOf(objects)).toEqual([])
})

describe('PrometheusRule', () => {
  test('has a severity, a duration, texts and a runbook page for each alert, of this installation only', async () => {
    const rules = await alerts({ runbookUrl: 'https://runbook.example.com' })
    expect(rules.length).toBeGreaterThan(25)
    for (const { alert, expr, for: holdsFor, labels, annotations } of rules) {
      expect(['critical', 'warning']).toContain(labels.severity)
      expect(holdsFor).toMatch(/^\d+[mh]$/)
      expect(annotations.runbook_url).toBe(`https://runbook.example.com/${alert}.md`)
      expect(annotations.summary).toMatch(/\.$/)
      expect(annotations.description).toMatch(/\.$/)
      expect(expr).toContain('job="berth-system/berth"')
      expect(expr).not.toContain('$')
    }
  })

  test('has the labels, the job and the alerts that the values name', async () => {
    const values = {
      prometheusRule: { enabled: true, job: 'lab', labels: { release: 'x' }, disabled: ['BerthTargetDown'] },
    }
    const objects = await render({ profile: 'full', flags: operator, values })
    expect(find(objects, 'PrometheusRule', 'berth').metadata.labels).toMatchObject({ release: 'x' })
    const rules = rulesOf(objects)
    expect(rules.map(({ alert }) => alert)).not.toContain('BerthTargetDown')
    expect(rules.filter(({ expr }) => !expr.includes('job="lab"'))).toEqual([])
  })

  test('has the alerts of installed apps only', async () => {
    const found = await alerts({}, { profile: 'scheduler-only' })
    expect(found.filter(({ alert }) => !/^Berth(?:Scheduler|TargetDown)/.test(alert))).toEqual([])
    expect(found.length).toBeGreaterThan(5)
  })

  test.for([
    { version: '1.35.2', has: false },
    { version: '1.36.0-gke.1', has: true },
  ])('with Kubernetes $version: the alert about two holders of a device: $has', async ({ version, has }) => {
    const found = await alerts({}, { flags: [...operator, '--kube-version', version] })
    expect(found.some(({ alert }) => alert === 'BerthDevicePluginDoubleAssigned')).toBe(has)
  })

  test.for([
    { it: 'without the Prometheus operator', flags: [], rule: {}, says: 'prometheusRule.enabled is true, but' },
    {
      it: 'that disables an unknown alert',
      flags: operator,
      rule: { disabled: ['X'] },
      says: '/prometheusRule/disabled',
    },
    ...['a" or vector(1) or up{job="b', 'a\nb', 'a: b # c', 'a\\', '$runbook'].map((job) => ({
      it: `with the job ${JSON.stringify(job)}, which would change the queries`,
      flags: operator,
      rule: { job },
      says: '/prometheusRule/job',
    })),
    ...['https://example.com/a: b', 'docs #', 'a\nb', 'https://example.com/runbook/', '{{ $labels.x }}'].map(
      (runbookUrl) => ({
        it: `with the runbook ${JSON.stringify(runbookUrl)}`,
        flags: operator,
        rule: { runbookUrl },
        says: '/prometheusRule/runbookUrl',
      }),
    ),
  ])('is refused $it', async ({ flags, rule, says }) => {
    const values = { prometheusRule: { enabled: true, ...rule } }
    expect(await refusal({ profile: 'full', values, flags })).toContain(says)
  })
})

test('each installed app has a dashboard that a sidecar finds by its label, in the chosen namespace', async () => {
  const dashboards = { enabled: true, namespace: 'monitoring', annotations: { grafana_folder: 'Berth' } }
  const found = dashboardsOf(await render({ profile: 'full', values: { dashboards } }))
  expect(found.map(({ metadata }) => metadata.name).toSorted()).toEqual(
    ['advertiser', 'device-plugin', 'extender', 'scheduler'].map((app) => `berth-dashboard-${app}`),
  )
  for (const { metadata, data = {} } of found) {
    expect(metadata).toMatchObject({
      namespace: 'monitoring',
      labels: { grafana_dashboard: '1' },
      annotations: { grafana_folder: 'Berth' },
    })
    const [[file, text] = ['', '']] = Object.entries(data)
    expect(file).toBe(`${metadata.name.replace('-dashboard', '')}.json`)
    expect(JSON.parse(text)).toMatchObject({ uid: file.replace('.json', ''), schemaVersion: 39 })
  }
  const one = dashboardsOf(await render({ profile: 'scheduler-only', values: { dashboards: { enabled: true } } }))
  expect(one.map(({ metadata }) => metadata.name)).toEqual(['berth-dashboard-scheduler'])
})
