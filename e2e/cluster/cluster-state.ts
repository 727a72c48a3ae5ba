import { text as readText } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { Pod } from '@berth/types'
import { runOrThrow } from './run-command.ts'
import type { TestEnvironment } from './test-environment.ts'
import { diffStates, type ClusterState } from './diff-states.ts'

/** Kinds that change without an action of the test. */
const volatileKinds = new Set([
  'Event', // Expires.
  'Lease', // Is renewed.
  'CertificateSigningRequest', // Is deleted an hour after it is signed.
])
/** The kubelet's own checkpoint of allocated devices. */
const kubeletFiles = /\/kubelet_internal_checkpoint /

interface ApiResource {
  readonly name: string
  readonly kind: string
  readonly verbs: readonly string[]
}

/** Pods older than this have their final status: a kubelet syncs a pod again after 60 to 90 s. */
const SETTLED_MS = 120_000

/** Waits until the pods in kube-system are old enough. In a new cluster, kubelets still change their status. */
export async function waitUntilSettled(client: ApiClient): Promise<void> {
  const { items } = await client.list<Pod>(resourceRefs.pods, { namespace: 'kube-system' })
  const youngestMs = Math.max(0, ...items.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '')))
  await pause(Math.max(0, youngestMs + SETTLED_MS - Date.now()))
}

/** Two reads this far apart must be equal for the state to count as stable. */
const STABLE_MS = 5_000

/**
 * Waits until nothing changes or is being deleted, and returns the state of the cluster. The deletion of objects of earlier
 * scenarios takes time.
 */
export async function readStableState(client: ApiClient, environment: TestEnvironment): Promise<ClusterState> {
  let last = await readClusterState(client, environment)
  const look = async (): Promise<ClusterState | undefined> => {
    await pause(STABLE_MS)
    const now = await readClusterState(client, environment)
    const isStable = !isDeleting(now) && diffStates(last, now, []).differences.length === 0
    last = now
    return isStable ? now : undefined
  }
  const signal = new AbortController().signal
  return await eventually(look, { what: 'the cluster to be stable', timeoutMs: 300_000, signal })
}

/** Returns whether any object is being deleted. */
function isDeleting({ objects }: ClusterState): boolean {
  const isDeleted = (object: unknown): boolean =>
    (object as { readonly metadata: { readonly deletionTimestamp?: string } }).metadata.deletionTimestamp !== undefined
  return objects.values().some(isDeleted)
}

/** Reads every object of every kind that the API server can list, and the files in the kubelets' plugin directories. */
export async function readClusterState(client: ApiClient, environment: TestEnvironment): Promise<ClusterState> {
  const objects = new Map<string, unknown>()
  for (const path of await groupVersions(client)) {
    const { resources } = await read<{ readonly resources: readonly ApiResource[] }>(client, path)
    for (const { name, kind, verbs } of resources) {
      if (name.includes('/') || !verbs.includes('list') || volatileKinds.has(kind)) continue
      const { items } = await read<{ readonly items: readonly ListedObject[] }>(client, `${path}/${name}`)
      for (const item of items) {
        const { namespace = '-', name: itemName } = item.metadata
        objects.set(`${path.split('/').slice(2, -1).join('/')} ${kind} ${namespace}/${itemName}`, item)
      }
    }
  }
  return { objects, files: await pluginFiles(environment) }
}

interface ListedObject {
  readonly metadata: { readonly namespace?: string; readonly name: string }
}

async function groupVersions(client: ApiClient): Promise<readonly string[]> {
  const { groups } = await read<{
    readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[]
  }>(client, '/apis')
  return ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)]
}

async function read<T>(client: ApiClient, path: string): Promise<T> {
  const { status, body } = await client.raw({ method: 'GET', path, headers: { accept: 'application/json' } })
  const text = await readText(body)
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text.slice(0, 300)}`)
  return JSON.parse(text) as T
}

/** Returns path, type, owner and mode of the files in the directories that plugins may write to, for each kind node. */
async function pluginFiles({
  engine,
  nodeContainers,
}: TestEnvironment): Promise<ReadonlyMap<string, readonly string[]>> {
  const directories = ['plugins_registry', 'device-plugins', 'plugins'].map((name) => `/var/lib/kubelet/${name}`)
  const files = new Map<string, readonly string[]>()
  for (const node of nodeContainers) {
    const script = `for d in ${directories.join(' ')}; do [ ! -e $d ] || find $d -printf '%p %y %U:%G %m\\n'; done`
    const lines = (await runOrThrow(engine, ['exec', node, 'sh', '-c', script])).trim().split('\n')
    files.set(node, lines.filter((line) => !kubeletFiles.test(line)).toSorted())
  }
  return files
}
