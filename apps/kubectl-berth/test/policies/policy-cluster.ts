import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import { startProgram, type RunningProgram } from '@berth/process/testing'
import type {
  ConfigMap,
  ExtenderBindingResult,
  ExtenderFilterResult,
  HostPriority,
  Namespace,
  ObjectMeta,
  Pod,
} from '@berth/types'
import { startServedCluster } from '../served-cluster.ts'

const programs = join(import.meta.dirname, '../../..')

/** The programs that run policies. The extender is called like kube-scheduler calls it. */
export const hosts = ['scheduler', 'extender'] as const
export type Host = (typeof hosts)[number]

/** A policy as both configurations name it. */
export interface Policy {
  readonly name: string
  /** Default: 30, which outweighs the default scores of the scheduler together. */
  readonly weight?: number
  readonly args: object
}

export interface NodeOptions {
  readonly units?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
}

export interface PodOptions {
  readonly requests?: Readonly<Record<string, string>>
  readonly namespace?: string
  readonly metadata?: ObjectMeta
}

/** Where a pod was placed, or why it was not. */
export type Placement = { readonly node: string } | { readonly reason: string }

/** An embedded cluster over TLS with a scheduler or an extender as a process. */
export interface PolicyCluster extends AsyncDisposable {
  readonly client: ApiClient
  createNamespace(name: string, labels: Readonly<Record<string, string>>): Promise<void>
  label(namespace: string, labels: Readonly<Record<string, string>>): Promise<void>
  /** Creates the ConfigMap, or replaces its data. */
  putConfigMap(key: { readonly namespace: string; readonly name: string }, data: ConfigMap['data']): Promise<void>
  createPod(name: string, options?: PodOptions): Promise<Pod>
  pod(name: string, namespace?: string): Promise<Pod>
  deletePod(name: string, namespace?: string): Promise<void>
  /** Attempts to place a pod, and returns the first result. */
  attempt(pod: Pod): Promise<Placement>
  /** Creates a pod and attempts to place it. */
  place(name: string, options?: PodOptions): Promise<Placement>
  /** Waits until the pod is placed, with as many attempts as it takes. Returns its node. */
  untilPlaced(pod: Pod): Promise<string>
  /** Decides about all pods before it binds the first, as concurrent binding cycles do. Returns the results. */
  placeTogether(pods: readonly Pod[]): Promise<readonly Placement[]>
  /** Ends the program with SIGKILL and starts it again. */
  restart(): Promise<void>
}

/**
 * Starts a cluster with nodes, and a host that runs the policies.
 *
 * @param options.pluginDir - Value of --plugin-dir, for policies that are not built in.
 */
export async function startPolicyCluster(
  host: Host,
  policies: readonly Policy[],
  nodes: Readonly<Record<string, NodeOptions>>,
  { pluginDir }: { readonly pluginDir?: string } = {},
): Promise<PolicyCluster> {
  const dir = mkdtempSync(join(tmpdir(), 'berth-policy-'))
  const served = await startServedCluster(dir)
  const { client, kubeconfig } = served
  for (const [name, { units = {}, labels = {} }] of Object.entries(nodes)) {
    await served.addNode(name, { cpu: '64', memory: '64Gi', pods: '100', ...units }, labels)
  }
  const config = join(dir, 'config.yaml')
  writeFileSync(config, JSON.stringify(host === 'scheduler' ? schedulerConfig(policies) : extenderConfig(policies)))
  const flags = ['--kubeconfig', kubeconfig, '--config', config, ...(pluginDir ? ['--plugin-dir', pluginDir] : [])]
  let running = await startHost(host, flags)

  const schedulerName = host === 'scheduler' ? 'berth-scheduler' : 'default-scheduler'
  const read = (name: string, namespace = 'default') => client.get<Pod>(resourceRefs.pods, { namespace, name })
  const same = ({ metadata: { name = '', namespace } }: Pod) => read(name, namespace)
  const call = async (verb: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`http://${running.address}/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  const chooseByExtender = (pod: Pod): Promise<Placement> =>
    until(async () => {
      const choice = await chooseOnce(pod)
      return 'reason' in choice && isTemporary(choice.reason) ? undefined : choice
    })
  const chooseOnce = async (pod: Pod): Promise<Placement> => {
    const body = { Pod: pod, Nodes: null, NodeNames: Object.keys(nodes) }
    const filtered = (await call('filter', body)) as ExtenderFilterResult
    const { NodeNames, FailedNodes, FailedAndUnresolvableNodes } = filtered
    const passed = NodeNames ?? []
    if (passed.length === 0) {
      const reasons = Object.values({ ...FailedNodes, ...FailedAndUnresolvableNodes })
      return { reason: [...new Set(reasons)].join(', ') || (filtered.Error ?? '') }
    }
    const scores = (await call('prioritize', { ...body, NodeNames: passed })) as readonly HostPriority[]
    // As in kube-scheduler: a node that is not listed has 0.
    return { node: scores.toSorted((a, b) => b.Score - a.Score)[0]?.Host ?? passed[0] ?? '' }
  }
  const bindByExtender = async (pod: Pod, choice: Placement): Promise<Placement> => {
    if (!('node' in choice)) return choice
    const { name, namespace, uid } = pod.metadata
    const body = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: choice.node }
    return until(async () => {
      const { Error: error = '' } = (await call('bind', body)) as ExtenderBindingResult
      if (error === '') return choice
      return isTemporary(error) ? undefined : { reason: error }
    })
  }
  const seenOnce = async (pod: Pod): Promise<Placement> =>
    until(async () => {
      const { spec, status } = await same(pod)
      if ((spec.nodeName ?? '') !== '') return { node: spec.nodeName ?? '' }
      const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled')
      const { message = '' } = condition ?? {}
      return condition?.status === 'False' && !isTemporary(message) ? { reason: message } : undefined
    })
  const cluster: PolicyCluster = {
    client,
    async createNamespace(name, labels) {
      await client.create<Namespace>(resourceRefs.namespaces, { metadata: { name, labels } })
    },
    async label(name, labels) {
      await client.patch(resourceRefs.namespaces, { name }, { metadata: { labels } }, { type: 'merge' })
    },
    async putConfigMap(target, data = {}) {
      const written = { apiVersion: 'v1', kind: 'ConfigMap', metadata: target, data }
      await client.patch(resourceRefs.configMaps, target, written, { type: 'apply', fieldManager: 'test', force: true })
    },
    createPod(name, { requests = {}, namespace = 'default', metadata = {} } = {}) {
      return client.create<Pod>(resourceRefs.pods, {
        metadata: { ...metadata, name, namespace },
        spec: {
          schedulerName,
          containers: [{ name: 'main', image: 'pause', resources: { requests, limits: requests } }],
        },
      })
    },
    pod: read,
    async deletePod(name, namespace = 'default') {
      await client.delete(resourceRefs.pods, { namespace, name }, { gracePeriodSeconds: 0 })
    },
    async attempt(pod) {
      if (host === 'scheduler') return seenOnce(pod)
      return bindByExtender(pod, await chooseByExtender(pod))
    },
    async place(name, options) {
      return cluster.attempt(await cluster.createPod(name, options))
    },
    untilPlaced: (pod) =>
      until(async () => {
        if (host === 'extender') await cluster.attempt(pod)
        const { nodeName = '' } = (await same(pod)).spec
        return nodeName === '' ? undefined : nodeName
      }),
    async placeTogether(pods) {
      if (host === 'scheduler') return Promise.all(pods.map(seenOnce))
      const choices = await Promise.all(pods.map(chooseByExtender))
      return Promise.all(pods.map((pod, i) => bindByExtender(pod, choices[i] ?? { reason: '' })))
    },
    async restart() {
      running.program.child.kill('SIGKILL')
      await running.program.ended
      running = await startHost(host, flags)
    },
    async [Symbol.asyncDispose]() {
      running.program.child.kill('SIGTERM')
      await running.program.ended
      await served.close()
      rmSync(dir, { recursive: true })
    },
  }
  return cluster
}

const FIT = 'NodeResourcesFit'

/** Returns whether an attempt failed only because the program has just started: kube-scheduler tries again. */
function isTemporary(reason: string): boolean {
  return /Lease|cluster view|known .*yet|has not answered|no nodes available/.test(reason)
}

function schedulerConfig(policies: readonly Policy[]): object {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    leaderElection: { leaderElect: false },
    profiles: [
      {
        schedulerName: 'berth-scheduler',
        plugins: { multiPoint: { enabled: policies.map(({ name, weight = 30 }) => ({ name, weight })) } },
        pluginConfig: policies.map(({ name, args }) => ({ name, args })),
      },
    ],
  }
}

function extenderConfig(policies: readonly Policy[]): object {
  return {
    listen: '127.0.0.1:0',
    bind: true,
    plugins: [{ name: FIT }, ...policies.map(({ name, weight = 30, args }) => ({ name, weight, args }))],
  }
}

async function startHost(
  host: Host,
  flags: readonly string[],
): Promise<{ readonly program: RunningProgram; readonly address: string }> {
  const program = startProgram(join(programs, host, 'src/main.ts'), [
    ...flags,
    '--health-address',
    '127.0.0.1:0',
    ...(host === 'extender' ? ['--insecure-http'] : []),
  ])
  const { address: health } = await program.line('Serving health')
  const address = host === 'extender' ? (await program.line('Serving scheduler extender'))['address'] : ''
  await until(async () => ((await fetch(`http://${String(health)}/readyz`)).status === 200 ? true : undefined))
  return { program, address: String(address) }
}

/** Polls every 50 ms until the check returns a value, for at most one minute. */
export async function until<T>(check: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 1_200; tries++) {
    const result = await check()
    if (result !== undefined) return result
    await sleep(50)
  }
  throw new Error('the condition was not met within one minute')
}
