import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chartDir, helmOnChart, profiles, refusal, render } from './render.ts'

type Node = { readonly [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const schema = JSON.parse(readFileSync(join(chartDir, 'values.schema.json'), 'utf8')) as Node
const values = parse(readFileSync(join(chartDir, 'values.yaml'), 'utf8')) as Node

/** Returns the paths of objects in a schema that do not define their keys. */
function openObjects(node: unknown, path = ''): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((item, i) => openObjects(item, `${path}/${i}`))
  if (!isNode(node)) return []
  const isOpen = isNode(node['properties']) && node['type'] === 'object' && node['additionalProperties'] === undefined
  return [
    ...(isOpen ? [path] : []),
    ...Object.entries(node).flatMap(([key, item]) => openObjects(item, `${path}/${key}`)),
  ]
}

/** Returns whether the chart describes the keys of the object. Keys of Kubernetes' own types are not described. */
const isOwn = ({ properties = {} }: Node): boolean =>
  Object.values(properties as Node).some((inner) => isNode(inner) && inner['description'] !== undefined)

/** Returns the keys of values.yaml that the schema does not describe, and vice versa. */
function differences(inSchema: Node, inValues: Node, above: string): readonly string[] {
  const properties = inSchema['properties'] as Readonly<Record<string, Node>>
  const unset = new Set(above === '' ? ['global', 'enabled'] : [])
  const isFree = inSchema['additionalProperties'] !== false
  return [
    ...Object.keys(inValues)
      .filter((key) => !isFree && !Object.hasOwn(properties, key))
      .map((key) => `${above}${key} is not in the schema`),
    ...Object.entries(properties).flatMap(([key, inner]) => {
      const value = inValues[key]
      if (inner['description'] === undefined) return [`${above}${key} is not described`]
      if (value === undefined) return unset.has(key) ? [] : [`${above}${key} is not in values.yaml`]
      return key !== 'config' && isNode(value) && isOwn(inner) ? differences(inner, value, `${above}${key}.`) : []
    }),
  ]
}

describe('values', () => {
  test('values.yaml and the schema have the same keys, and all are described', () => {
    expect(differences(schema, values, '')).toEqual([])
  })

  test('every object of the schema defines its keys', () => {
    expect(openObjects(schema)).toEqual([])
    expect(schema['additionalProperties']).toBe(false)
  })

  test.for([
    { key: 'an app', values: { schedular: { enabled: true } }, says: "additional properties 'schedular' not allowed" },
    {
      key: 'a key of an app',
      values: { scheduler: { replica: 2 } },
      says: "at '/scheduler': additional properties 'replica'",
    },
    {
      key: 'a key of an app’s configuration',
      values: { advertiser: { config: { resource: [] } } },
      says: "at '/advertiser/config': additional properties 'resource'",
    },
    {
      key: 'a key that the chart sets itself',
      values: { extender: { config: { listen: '0.0.0.0:1' } } },
      says: "additional properties 'listen'",
    },
    {
      key: 'the Lease of the scheduler',
      values: { scheduler: { config: { leaderElection: { resourceName: 'x' } } } },
      says: "additional properties 'resourceName'",
    },
    {
      key: 'an argument of a built-in source',
      values: {
        devicePlugin: { config: { resources: [{ name: 'example.com/a', source: 'count', args: { coun: 1 } }] } },
      },
      says: "additional properties 'coun' not allowed",
    },
    {
      key: 'a type',
      values: { scheduler: { replicas: 'two' } },
      says: "at '/scheduler/replicas': got string, want integer",
    },
    { key: 'a time-out above 2.9 s', values: { extender: { httpTimeout: '30s' } }, says: "at '/extender/httpTimeout'" },
    {
      key: 'an update that may replace no pod',
      values: { devicePlugin: { maxUnavailable: 0 } },
      says: "at '/devicePlugin/maxUnavailable'",
    },
    ...[
      { at: 'scheduler/resources', value: { reqests: { cpu: 1 } }, wrong: 'reqests' },
      { at: 'uninstall/resources', value: { limit: { cpu: 1 } }, wrong: 'limit' },
      { at: 'scheduler/affinity', value: { nodeAfinity: {} }, wrong: 'nodeAfinity' },
      { at: 'scheduler/tolerations', value: [{ kee: 'a' }], wrong: 'kee' },
      { at: 'advertiser/plugins/volume', value: { configmap: { name: 'a' } }, wrong: 'configmap' },
      { at: 'scheduler/extraVolumes', value: [{ name: 'a', configmap: {} }], wrong: 'configmap' },
      { at: 'scheduler/extraVolumeMounts', value: [{ name: 'a', mountPath: '/a', readonly: true }], wrong: 'readonly' },
      { at: 'scheduler/extraEnv', value: [{ name: 'A', val: 'b' }], wrong: 'val' },
      { at: 'scheduler/networkPolicy/from', value: [{ podSelecter: {} }], wrong: 'podSelecter' },
      { at: 'devicePlugin/seLinuxOptions', value: { typ: 'a' }, wrong: 'typ' },
      { at: 'cli/subjects', value: [{ kinda: 'User' }], wrong: 'kinda' },
      { at: 'extender/tls/issuerRef', value: { nam: 'x' }, wrong: 'nam' },
      { at: 'extender/kubeScheduler/profile', value: { plugin: {} }, wrong: 'plugin' },
      { at: 'imagePullSecrets', value: [{ secret: 'x' }], wrong: 'secret' },
    ].map(({ at, value, wrong }) => ({
      key: `a key of Kubernetes’ own, ${wrong}`,
      values: at.split('/').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value),
      says: new RegExp(`at '/${at}(/0)?': additional properties '${wrong}' not allowed`),
    })),
    ...[['/'], ['/dev/..'], ['/dev/'], ['dev']].map((hostPaths) => ({
      key: `the folder ${hostPaths.join('')}`,
      values: { devicePlugin: { hostPaths } },
      says: "at '/devicePlugin/hostPaths/0'",
    })),
    {
      key: 'a folder twice',
      values: { devicePlugin: { hostPaths: ['/dev', '/dev'] } },
      says: 'items at 0 and 1 are equal',
    },
    { key: 'a digest', values: { image: { digest: 'sha256:12' } }, says: "at '/image/digest'" },
    {
      key: 'a cluster-wide TLS mode',
      values: { extender: { tls: { mode: 'none' } } },
      says: "at '/extender/tls/mode'",
    },
  ])('$key that is wrong is named', async ({ values, says }) => {
    expect(await refusal({ values })).toMatch(says)
  })

  test('arguments of a contributed source are not checked', async () => {
    const resources = [{ name: 'example.com/a', source: 'my-source', args: { anything: [1] } }]
    expect(
      (await render({ profile: 'device-plugin-only', values: { devicePlugin: { config: { resources } } } })).length,
    ).toBeGreaterThan(3)
  })

  test('refuses a cluster older than the supported version and names the version', async () => {
    expect(await refusal({ flags: ['--kube-version', '1.33.9'] })).toContain(
      'chart requires kubeVersion: >=1.34.0-0 which is incompatible with Kubernetes v1.33.9',
    )
  })

  test.for(['1.34.0', '1.36.3', 'v1.36.3-gke.100', 'v1.36.1+k3s1'])('accepts Kubernetes %s', async (version) => {
    const objects = await render({ profile: 'extender-only', flags: ['--kube-version', version] })
    const [plain] = /\d+\.\d+\.\d+/.exec(version) ?? []
    expect(JSON.stringify(objects)).toContain(`registry.k8s.io/kube-scheduler:v${plain}"`)
  })

  test.for(profiles)('profile %s passes lint without a warning', async (profile) => {
    const { code, stdout, stderr } = await helmOnChart(['lint', '--strict'], { profile })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).not.toMatch(/\[(?:WARNING|ERROR)\]/)
  })
})
