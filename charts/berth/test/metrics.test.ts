import { describe, expect, test } from 'vitest'
import { find, podTemplates } from './chart-object.ts'
import { refusal, render } from './render.ts'

const prometheus = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }]
const open = Object.fromEntries(
  ['devicePlugin', 'extender', 'authority', 'scheduler', 'advertiser'].map((app) => [
    app,
    { networkPolicy: { from: prometheus } },
  ]),
)
const flags = ['--api-versions', 'monitoring.coreos.com/v1']

describe('PodMonitor', () => {
  test('is not created by default', async () => {
    const objects = await render({ profile: 'demo', flags })
    expect(objects.filter(({ kind }) => kind === 'PodMonitor')).toEqual([])
  })

  test('selects the pods of all apps, and no others, by an existing port', async () => {
    const podMonitor = { enabled: true, interval: '15s', labels: { release: 'prometheus' } }
    const objects = await render({ profile: 'demo', values: { ...open, podMonitor }, flags })
    const monitor = find(objects, 'PodMonitor', 'berth')
    expect(monitor.metadata).toMatchObject({ namespace: 'berth-system', labels: { release: 'prometheus' } })
    const { selector, podMetricsEndpoints } = monitor.spec as {
      readonly selector: {
        readonly matchLabels: Readonly<Record<string, string>>
        readonly matchExpressions: readonly { readonly key: string; readonly values: readonly string[] }[]
      }
      readonly podMetricsEndpoints: readonly { readonly port: string; readonly path: string }[]
    }
    expect(podMetricsEndpoints).toMatchObject([{ port: 'health', path: '/metrics', interval: '15s' }])
    const found = podTemplates(objects).filter(
      ({ metadata: { labels = {} } }) =>
        Object.entries(selector.matchLabels).every(([key, value]) => labels[key] === value) &&
        selector.matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? '')),
    )
    expect(found.map(({ owner }) => owner.metadata.name).toSorted()).toEqual([
      'berth-advertiser',
      'berth-authority',
      'berth-device-plugin',
      'berth-extender',
      'berth-scheduler',
    ])
    for (const { spec } of found) {
      const ports = spec.containers.flatMap((container) => container.ports ?? []).map(({ name }) => name)
      expect(ports.filter((name) => name === 'health')).toHaveLength(1)
    }
    for (const app of ['device-plugin', 'extender', 'authority', 'scheduler', 'advertiser'])
      expect(find(objects, 'NetworkPolicy', `berth-${app}`).spec).toMatchObject({ ingress: [{ from: prometheus }] })
  })

  test.for([
    {
      it: 'a PodMonitor in a cluster without the Prometheus operator',
      values: open,
      flags: [],
      says: 'this cluster does not serve monitoring.coreos.com/v1',
    },
    {
      it: 'a PodMonitor behind a network policy without peers',
      values: { ...open, scheduler: {} },
      flags,
      says: "at '/scheduler/networkPolicy/from': minItems",
    },
    {
      it: 'a PodMonitor with a label that the chart sets itself',
      values: open,
      flags,
      labels: { 'app.kubernetes.io/name': 'x' },
      says: "at '/podMonitor/labels/app.kubernetes.io~1name'",
    },
  ])('refuses $it', async ({ values, flags: given, labels = {}, says }) => {
    const podMonitor = { enabled: true, labels }
    expect(await refusal({ values: { ...values, podMonitor }, flags: given })).toContain(says)
  })
})
