import { setTimeout as pause } from 'node:timers/promises'
import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { Pod } from '@berth/types'
import { must } from './run-command.ts'
import type { Session } from './test-environment.ts'
import { diffStates, type ClusterState } from './diff-states.ts'

/** Kinds that change by themselves. */
const restless = new Set([
  'Event', // expire
  'Lease', // are renewed
  'CertificateSigningRequest', // are forgotten an hour after they were signed
])
/** Kept by the kubelet itself, with the devices that it handed out. */
const ownFiles = /\/kubelet_internal_checkpoint /

interface ApiResource {
  readonly name: string
  readonly kind: string
  readonly verbs: readonly string[]
}

/** By then a kubelet has written everything that it writes of a pod without being asked: it looks again after 60 to 90 s. */
const SETTLED_MS = 120_000

/** Waits until the cluster's own pods are that old: in a cluster of a minute ago their status still changes by itself. */
export async function untilSettled(client: ApiClient): Promise<void> {
  const { items } = await client.list<Pod>(resourceRefs.pods, { namespace: 'kube-system' })
  const youngestMs = Math.max(0, ...items.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '')))
  await pause(Math.max(0, youngestMs + SETTLED_MS - Date.now()))
}

/** Between two looks at a cluster that stands still. */
const STILL_MS = 5_000

/** The state of the cluster once nothing in it is going or changes: what earlier scenarios deleted goes by and by. */
export async function readStillState(client: ApiClient, session: Session): Promise<ClusterState> {
  let last = await readClusterState(client, session)
  const look = async (): Promise<ClusterState | undefined> => {
    await pause(STILL_MS)
    const now = await readClusterState(client, session)
    const isStill = !isGoing(now) && diffStates(last, now, []).differences.length === 0
    last = now
    return isStill ? now : undefined
  }
  const signal = new AbortController().signal
  return await eventually(look, { what: 'the cluster to stand still', timeoutMs: 300_000, signal })
}

/** Whether any object is to be deleted. */
function isGoing({ objects }: ClusterState): boolean {
  const isDeleted = (object: unknown): boolean =>
    (object as { readonly metadata: { readonly deletionTimestamp?: string } }).metadata.deletionTimestamp !== undefined
  return objects.values().some(isDeleted)
}

/** Every object of every kind that the API server can list, and what lies in the kubelets' plugin directories. */
export async function readClusterState(client: ApiClient, session: Session): Promise<ClusterState> {
  const objects = new Map<string, unknown>()
  for (const path of await groupVersions(client)) {
    const { resources } = await read<{ readonly resources: readonly ApiResource[] }>(client, path)
    for (const { name, kind, verbs } of resources) {
      if (name.includes('/') || !verbs.includes('list') || restless.has(kind)) continue
      const { items } = await read<{ readonly items: readonly ListedObject[] }>(client, `${path}/${name}`)
      for (const item of items) {
        const { namespace = '-', name: itemName } = item.metadata
        objects.set(`${path.split('/').slice(2, -1).join('/')} ${kind} ${namespace}/${itemName}`, item)
      }
    }
  }
  return { objects, files: await pluginFiles(session) }
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
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text.slice(0, 300)}`)
  return JSON.parse(text) as T
}

/** Path, type, owner and mode of what is in the directories that plugins may write to, for each node of kind. */
async function pluginFiles({ engine, nodeContainers }: Session): Promise<ReadonlyMap<string, readonly string[]>> {
  const directories = ['plugins_registry', 'device-plugins', 'plugins'].map((name) => `/var/lib/kubelet/${name}`)
  const files = new Map<string, readonly string[]>()
  for (const node of nodeContainers) {
    const script = `for d in ${directories.join(' ')}; do [ ! -e $d ] || find $d -printf '%p %y %U:%G %m\\n'; done`
    const lines = (await must(engine, ['exec', node, 'sh', '-c', script])).trim().split('\n')
    files.set(node, lines.filter((line) => !ownFiles.test(line)).toSorted())
  }
  return files
}
