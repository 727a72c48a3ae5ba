import { systemClock } from '@berth/clock'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbeddedCluster, type EmbeddedCluster } from '@berth/simulator'
import { callJson } from '@berth/simulator/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chartDir, helm, helmOnChart, type HelmResult } from './render.ts'

interface HookPod {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly containers: readonly {
      readonly env?: readonly {
        readonly name: string
        readonly valueFrom?: { readonly configMapKeyRef: { readonly name: string; readonly optional?: boolean } }
      }[]
    }[]
  }
  readonly status: { readonly phase: string }
}

const namespace = 'berth-system'
const configMap = `/api/v1/namespaces/${namespace}/configmaps/berth-uninstall`
let cluster: EmbeddedCluster
let dir = ''
let isHeld = false

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-chart-uninstall-'))
  // Runs without kubelets: the test decides how the pods of the hooks end.
  cluster = await startEmbeddedCluster({ nodes: 0, clock: systemClock(), random: Math.random })
  await writeFile(join(dir, 'kubeconfig'), cluster.served?.kubeconfig() ?? '')
})
afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const call = (method: 'GET' | 'DELETE' | 'PATCH', path: string, body?: unknown) =>
  callJson(cluster.handle, method, path, {
    ...(body !== undefined && { body, contentType: 'application/merge-patch+json' }),
  })

/** Returns the value of the variable that the kubelet would give the container, or undefined if the pod cannot start. */
async function started({ spec }: HookPod): Promise<{ readonly force?: string } | undefined> {
  const ref = spec.containers[0]?.env?.find(({ name }) => name === 'BERTH_ADVERTISER_FORCE')?.valueFrom?.configMapKeyRef
  if (ref === undefined) return {}
  const { status, body } = await call('GET', `/api/v1/namespaces/${namespace}/configmaps/${ref.name}`)
  const force = status === 200 ? (body as { readonly data?: { readonly force?: string } }).data?.force : undefined
  if (force !== undefined) return { force }
  return ref.optional === true ? {} : undefined
}

/** Ends the pods of hooks as their commands would: the check fails while a resource is held, unless it is forced. */
async function playHooks(): Promise<void> {
  const pods = `/api/v1/namespaces/${namespace}/pods`
  const { items } = (await call('GET', pods)).body as { readonly items: readonly HookPod[] }
  for (const pod of items.filter(
    ({ metadata, status }) => metadata.name.startsWith('berth-uninstall-') && status.phase === 'Pending',
  )) {
    const run = await started(pod)
    if (run === undefined) continue
    const isRefused = pod.metadata.name.includes('-check') && isHeld && run.force !== 'true'
    await call('PATCH', `${pods}/${pod.metadata.name}/status`, {
      status: { phase: isRefused ? 'Failed' : 'Succeeded' },
    })
  }
}

const onCluster = ['--namespace', namespace, '--kubeconfig'] as const
const onChart = (command: string, ...flags: readonly string[]): Promise<HelmResult> =>
  helmOnChart([command, 'berth'], {
    profile: 'advertiser-only',
    flags: ['--kubeconfig', join(dir, 'kubeconfig'), ...flags],
  })
async function uninstall(): Promise<HelmResult> {
  const timer = setInterval(() => void playHooks(), 100)
  try {
    return await helm(['uninstall', 'berth', '--timeout=90s', ...onCluster, join(dir, 'kubeconfig')])
  } finally {
    clearInterval(timer)
  }
}

describe('helm uninstall on the embedded cluster', () => {
  beforeEach(async () => {
    isHeld = true
    const { code, stderr } = await onChart('install', '--create-namespace')
    if (code !== 0) throw new Error(stderr)
  })
  afterEach(() =>
    helm(['uninstall', 'berth', '--no-hooks', '--ignore-not-found', ...onCluster, join(dir, 'kubeconfig')]),
  )

  test('can be refused, forced as the notes say, rolled back and upgraded without a conflict, and then completed', async () => {
    expect(await uninstall()).toMatchObject({ code: 1 })
    const patched = await call('PATCH', `${configMap}?fieldManager=kubectl-patch`, { data: { force: 'true' } })
    expect(patched.status).toBe(200)
    expect(await helm(['rollback', 'berth', '1', ...onCluster, join(dir, 'kubeconfig')])).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(await onChart('upgrade')).toMatchObject({ code: 0, stderr: '' })
    expect(await onChart('upgrade', '--set=uninstall.force=true')).toMatchObject({ code: 0, stderr: '' })
    expect(await uninstall()).toMatchObject({ code: 0, stderr: '' })
    expect((await call('GET', configMap)).status).toBe(404)
  })

  test('is still refused after an interruption that deleted its ConfigMap, and continues when nothing is held', async () => {
    expect((await call('DELETE', configMap)).status).toBe(200)
    const refused = await uninstall()
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('berth-uninstall-check not ready. status: Failed'),
    })
    isHeld = false
    expect(await uninstall()).toMatchObject({ code: 0 })
  })

  test('keeps advertised resources without hooks, and the command in the README withdraws them', async () => {
    const advertised = { 'berth.dev/advertised': '{"example.com/seat":"2"}' }
    const metadata = { name: 'worker', annotations: advertised }
    await callJson(cluster.handle, 'POST', '/api/v1/nodes', { body: { apiVersion: 'v1', kind: 'Node', metadata } })
    const amounts = { 'example.com/seat': '2', cpu: '4' }
    await call('PATCH', '/api/v1/nodes/worker/status', { status: { capacity: amounts, allocatable: amounts } })
    const readme = readFileSync(join(chartDir, 'README.md'), 'utf8')
    const [, app = '', args = ''] = /npx -- node (apps\/\w+)\/dist\/main\.js (prune .*) FILE/.exec(readme) ?? []
    const main = join(chartDir, '../..', app, 'src/main.ts')
    const file = join(dir, 'kubeconfig')
    await promisify(execFile)(process.execPath, ['-C', '@berth/source', main, ...args.split(' '), file])
    const { metadata: left, status } = (await call('GET', '/api/v1/nodes/worker')).body as {
      readonly metadata: { readonly annotations?: unknown }
      readonly status: { readonly capacity: unknown }
    }
    expect([left.annotations ?? {}, status.capacity]).toEqual([{}, { cpu: '4' }])
  })
})
