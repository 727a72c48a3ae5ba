import { beforeAll, describe, expect, test } from 'vitest'
import { componentOf, podTemplates, type ChartObject, type PodSpec } from './chart-object.ts'
import { render, refusal } from './render.ts'

const apps = ['devicePlugin', 'extender', 'scheduler', 'advertiser', 'cli'] as const
type App = (typeof apps)[number]
/** The authority issues the certificates of the extender. */
const componentsByApp: Readonly<Record<App, readonly string[]>> = {
  devicePlugin: ['device-plugin'],
  extender: ['extender', 'authority'],
  scheduler: ['scheduler'],
  advertiser: ['advertiser'],
  cli: ['cli'],
}
const workloads: Readonly<Record<App, readonly string[]>> = {
  devicePlugin: ['DaemonSet berth-device-plugin'],
  extender: ['Deployment berth-extender', 'Deployment berth-authority'],
  scheduler: ['Deployment berth-scheduler'],
  advertiser: ['Deployment berth-advertiser'],
  cli: [],
}
const subsets: readonly (readonly App[])[] = Array.from({ length: 2 ** apps.length - 1 }, (_, i) =>
  apps.filter((_app, bit) => ((i + 1) & (1 << bit)) !== 0),
)
const switches = (enabled: readonly App[]): unknown =>
  Object.fromEntries(apps.map((app) => [app, { enabled: enabled.includes(app) }]))
const nameOf = ({ kind, metadata }: ChartObject): string => `${kind} ${metadata.name}`

describe('any subset of the apps', () => {
  const rendered = new Map<readonly App[], readonly ChartObject[]>()
  beforeAll(async () => {
    for (const subset of subsets) rendered.set(subset, await render({ values: switches(subset) }))
  }, 120_000)

  test.for(subsets.map((subset) => ({ name: subset.join(' + '), subset })))('$name', ({ subset }) => {
    const objects = rendered.get(subset) ?? []
    const names = objects.map(nameOf)
    // The component labels of hooks and test pods are not apps.
    const components = new Set(objects.map((object) => componentOf(object) ?? ''))
    for (const own of ['uninstall', 'uninstall-sockets', 'test']) components.delete(own)
    expect(components).toEqual(new Set(subset.flatMap((app) => componentsByApp[app])))
    const pods = subset.flatMap((app) => workloads[app])
    const isWorkload = (object: ChartObject): boolean =>
      ['Deployment', 'DaemonSet'].includes(object.kind) && object.metadata.annotations?.['helm.sh/hook'] === undefined
    expect(objects.filter(isWorkload).map(nameOf).toSorted()).toEqual(pods.toSorted())
    expect(names.some((name) => name.includes('uninstall-check'))).toBe(subset.includes('advertiser'))
    expect(names.some((name) => name.includes('uninstall-sockets'))).toBe(subset.includes('devicePlugin'))
    expect(names.filter((name, i) => names.indexOf(name) !== i && !name.startsWith('RoleBinding'))).toEqual([])
    expect(danglingNames(objects)).toEqual([])
    for (const object of objects) {
      expect(object.metadata.labels?.['app.kubernetes.io/managed-by']).toBe('Helm')
    }
  })

  test('keeps names and labels within the limits for the longest release name', async () => {
    const objects = await render({ profile: 'demo', release: 'r'.repeat(53) })
    // Names of roles and their bindings may be longer.
    const limited = objects.filter(({ kind, metadata }) => metadata.namespace !== undefined && !kind.startsWith('Role'))
    const names = limited.map(({ metadata }) => metadata.name)
    const labels = objects.flatMap(({ metadata }) => Object.values(metadata.labels ?? {}))
    expect([...names, ...labels].filter((text) => text.length > 63)).toEqual([])
  })

  test.for(['1234', '1e3', 'true', '0x1f'])(
    'keeps a release and names that look like another YAML type, %s, as strings',
    async (word) => {
      const workload = { priorityClassName: word, serviceAccount: { name: word } }
      const own = { ...workload, schedulerName: `${word}0` }
      const tls = { mode: 'existing', serverSecretName: word, clientSecretName: word }
      const values = {
        fullnameOverride: word,
        nameOverride: word,
        devicePlugin: { ...workload, podLabels: { own: word } },
        advertiser: workload,
        scheduler: { ...workload, schedulerName: word },
        extender: { ...own, tls },
        podMonitor: { enabled: true },
      }
      const networkPolicy = { enabled: false }
      const all = Object.fromEntries(
        Object.entries(values).map(([key, value]) => [
          key,
          typeof value === 'object' && 'priorityClassName' in value ? { ...value, networkPolicy } : value,
        ]),
      )
      const flags = ['--api-versions', 'monitoring.coreos.com/v1']
      const objects = await render({ profile: 'demo', release: word, namespace: word, values: all, flags })
      expect(objects.flatMap((object) => noTexts(object, nameOf(object)))).toEqual([])
      expect(JSON.stringify(objects)).toContain(`"schedulerName":"${word}"`)
    },
  )

  test('runs all pods on Linux nodes only', async () => {
    const selectors = podTemplates(await render({ profile: 'demo' })).map(({ spec }) => spec.nodeSelector)
    expect(new Set(selectors.map((selector) => JSON.stringify(selector)))).toEqual(
      new Set(['{"kubernetes.io/os":"linux"}']),
    )
  })

  test('refuses a release without any app', async () => {
    expect(await refusal({ values: switches([]) })).toContain('no app is enabled: set enabled=true for at least one of')
  })
})

const maps = new Set(['labels', 'annotations', 'matchLabels', 'nodeSelector', 'podSelector', 'selector', 'data'])
const names = new Set([
  'name',
  'namespace',
  'image',
  'schedulerName',
  'serviceAccountName',
  'priorityClassName',
  'secretName',
])

/** Returns the paths of names, labels and annotations that are not strings. */
function noTexts(value: unknown, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const place = `${at}/${key}`
    const isText = typeof inner === 'string' || typeof inner === 'object'
    if (isText) return noTexts(inner, place)
    return names.has(key) || maps.has(at.split('/').at(-1) ?? '') ? [`${place}: ${JSON.stringify(inner)}`] : []
  })
}

/** Returns references to ServiceAccounts, roles and volumes that are not rendered, and selectors that match no pod. */
function danglingNames(objects: readonly ChartObject[]): readonly string[] {
  const has = (kind: string, name: string): boolean =>
    objects.some((object) => object.kind === kind && object.metadata.name === name)
  const isBuiltIn = (name: string): boolean =>
    name.startsWith('system:') || name === 'extension-apiserver-authentication-reader'
  const pods = podTemplates(objects)
  const authority = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith('-authority'))
  const issued = new Set(
    [...(authority?.data?.['config.yaml'] ?? '').matchAll(/^(?:server|client)Secret: (.*)$/gm)].map(([, name]) => name),
  )
  return [
    ...pods.flatMap(({ spec, owner }) =>
      volumeNames(spec)
        .filter(([kind, name]) => !has(kind, name) && !(kind === 'Secret' && issued.has(name)))
        .map(([kind, name]) => `${nameOf(owner)}: ${kind} ${name}`),
    ),
    ...pods.flatMap(({ spec, owner }) => {
      const { serviceAccountName } = spec
      return serviceAccountName === undefined || has('ServiceAccount', serviceAccountName)
        ? []
        : [`${nameOf(owner)}: ServiceAccount ${serviceAccountName}`]
    }),
    ...objects.flatMap(({ roleRef, subjects = [], ...object }) => [
      ...(roleRef === undefined || isBuiltIn(roleRef.name) || has(roleRef.kind, roleRef.name)
        ? []
        : [`${nameOf(object)}: ${roleRef.kind} ${roleRef.name}`]),
      ...subjects
        .filter(({ kind, name }) => !has(kind, name))
        .map(({ kind, name }) => `${nameOf(object)}: ${kind} ${name}`),
    ]),
    ...objects.flatMap((object) => {
      const { selector, podSelector = selector } = (object.spec ?? {}) as {
        readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> }
        readonly podSelector?: { readonly matchLabels?: Readonly<Record<string, string>> }
      }
      const wanted = Object.entries(podSelector?.matchLabels ?? {})
      if (wanted.length === 0) return []
      const chosen = pods.filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value))
      return chosen.length === 1 ? [] : [`${nameOf(object)}: its selector chooses ${chosen.length} pods`]
    }),
  ]
}

function volumeNames(spec: PodSpec): readonly (readonly [string, string])[] {
  return (spec.volumes ?? []).flatMap((volume) => {
    const { configMap, secret } = volume as {
      readonly configMap?: { readonly name: string }
      readonly secret?: { readonly secretName: string }
    }
    return [
      ...(configMap === undefined ? [] : [['ConfigMap', configMap.name] as const]),
      ...(secret === undefined ? [] : [['Secret', secret.secretName] as const]),
    ]
  })
}
