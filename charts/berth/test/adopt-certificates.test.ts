import { systemClock } from '@berth/clock'
import { startEmbeddedCluster, type EmbeddedCluster } from '@berth/simulator'
import { callJson } from '@berth/simulator/testing'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { find, podTemplates, type ChartObject } from './chart-object.ts'
import { matchesUser, policyRefusal, type Policy } from './evaluate-policy.ts'
import { granted } from './granted.ts'
import { helmOnChart } from './render.ts'

const namespace = 'berth-system'
const [SERVER, CLIENT] = ['berth-extender-server', 'berth-extender-client'] as const
const elsewhere = { kubeScheduler: { enabled: false }, service: { enabled: true } }
const data = Object.fromEntries(
  ['ca.crt', 'tls.crt', 'tls.key'].map((key) => [key, Buffer.from(key).toString('base64')]),
)
const secret = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  type: 'kubernetes.io/tls',
  data,
})

/** A request in the audit log of the API server. */
interface Asked {
  readonly verb: string
  readonly objectRef?: { readonly resource?: string; readonly name?: string }
}

let cluster: EmbeddedCluster
let dir = ''
/** What the API server was asked, as `VERB RESOURCE/NAME`. */
const asked: string[] = []
const access = (): readonly string[] => ['--kubeconfig', join(dir, 'kubeconfig')]

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-chart-adopt-'))
  cluster = await startEmbeddedCluster({
    nodes: 1,
    schedulesPods: true,
    clock: systemClock(),
    random: Math.random,
    api: {
      audit: {
        level: 'Metadata',
        sink: (event: Asked) => void asked.push(`${event.verb} ${event.objectRef?.resource}/${event.objectRef?.name}`),
      },
    },
  })
  await writeFile(join(dir, 'kubeconfig'), cluster.served?.kubeconfig() ?? '')
})
afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

/** Renders an upgrade, or an installation, with what Helm finds in the cluster. */
async function rendered(extender: object = elsewhere, flags: readonly string[] = ['--is-upgrade']) {
  const options = { profile: 'extender-only', values: { extender } } as const
  const all = [...flags, '--dry-run=server', ...access()]
  const { code, stdout, stderr } = await helmOnChart(['template', 'berth'], { ...options, flags: all })
  expect([code, stderr]).toEqual([0, ''])
  return parseAllDocuments(stdout).map((document) => document.toJS() as ChartObject)
}

const weightOf = ({ metadata }: ChartObject): number => Number(metadata.annotations?.['helm.sh/hook-weight'])
const adopting = (objects: readonly ChartObject[]): readonly string[] =>
  objects.flatMap(({ kind, metadata }) => (metadata.name.includes('-adopt') ? [kind] : []))

describe('certificates of the extender that another source issued', () => {
  test('move into the Secrets of the authority before an upgrade deletes them', async () => {
    const existing = { ...elsewhere, tls: { mode: 'existing', serverSecretName: SERVER, clientSecretName: CLIENT } }
    const before = { extender: existing, extraObjects: [secret(SERVER), secret(CLIENT)] }
    const wait = ['--wait', '--timeout=120s', ...access()]
    const profile = 'extender-only'
    const install = { profile, values: before, flags: ['--create-namespace', ...wait] } as const
    const installed = await helmOnChart(['install', 'berth'], install)
    expect([installed.code, installed.stderr]).toEqual([0, ''])

    const objects = await rendered()
    const byWeight = [...objects]
      .filter((object) => !Number.isNaN(weightOf(object)))
      .toSorted((a, b) => weightOf(a) - weightOf(b))
    expect(adopting(byWeight)).toEqual([
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ServiceAccount',
      'Role',
      'RoleBinding',
      'Job',
    ])
    const name = 'berth-authority-adopt'
    const [pod] = podTemplates([find(objects, 'Job', name)])
    expect(pod?.spec.serviceAccountName).toBe(name)
    expect(pod?.spec.containers[0]?.command).toEqual([
      'node',
      '/app/authority/main.js',
      'adopt',
      '--namespace=berth-system',
      `--from-server-secret=${SERVER}`,
      `--from-client-secret=${CLIENT}`,
      '--server-secret=berth-authority-server',
      '--client-secret=berth-authority-client',
    ])
    const { rules = [] } = find(objects, 'Role', name)
    expect(granted(rules)).toEqual(['/secrets create', '/secrets get'])
    expect(rules[0]?.resourceNames).toEqual([SERVER, CLIENT])
    const policy = find(objects, 'ValidatingAdmissionPolicy', `${name}.${namespace}`).spec as Policy
    expect(matchesUser(policy, `system:serviceaccount:${namespace}:${name}`)).toBe(true)
    const created = (object: object) => policyRefusal(policy, { oldObject: null, object, request: {} })
    expect(created(secret('berth-authority-client'))).toBeUndefined()
    expect(created(secret('mine'))).toContain('only its own Secrets')
    // No key passes through the release.
    expect(JSON.stringify(objects)).not.toContain(data['tls.key'])

    asked.length = 0
    const upgraded = await helmOnChart(['upgrade', 'berth'], { profile, values: { extender: elsewhere }, flags: wait })
    expect([upgraded.code, upgraded.stderr]).toEqual([0, ''])
    // The upgrade has no other Job.
    const order = [
      /^(?:create|patch) jobs\//,
      new RegExp(`^delete secrets/${SERVER}$`),
      new RegExp(`^delete secrets/${CLIENT}$`),
    ]
    const at = order.map((request) => asked.findIndex((one) => request.test(one)))
    expect(at).not.toContain(-1)
    expect(Math.min(at[1] ?? -1, at[2] ?? -1)).toBeGreaterThan(at[0] ?? Infinity)
    const { status } = await callJson(cluster.handle, 'GET', `/api/v1/namespaces/${namespace}/secrets/${SERVER}`)
    expect(status).toBe(404)
    expect(adopting(await rendered())).toEqual([])
  }, 300_000)

  test('stay where they are without a kube-scheduler elsewhere, at an installation, and when one of the two is missing', async () => {
    const path = `/api/v1/namespaces/${namespace}/secrets`
    await callJson(cluster.handle, 'POST', path, { body: secret(SERVER) })
    expect(adopting(await rendered())).toEqual([])
    await callJson(cluster.handle, 'POST', path, { body: secret(CLIENT) })
    expect(adopting(await rendered())).not.toEqual([])
    expect(adopting(await rendered(elsewhere, []))).toEqual([])
    expect(adopting(await rendered({}))).toEqual([])
  })
})
