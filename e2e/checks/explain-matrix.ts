import { type ApiClient, isApiStatus, type ResourceRef, resourceRefs } from '@berth/k8s-client'
import { createMatrixObject, eventually, explainMatrix, type MatrixCase, matrixTarget } from '@berth/testing'
import type { KubernetesObject } from '@berth/types'
import { expectThat } from '../cluster/test-cluster.ts'

interface EventOfPod extends KubernetesObject {
  readonly regarding?: { readonly name?: string; readonly uid?: string }
  readonly reason?: string
  readonly note?: string
  readonly eventTime?: string
  readonly series?: { readonly lastObservedTime?: string }
}

/** A cluster with the objects of the matrix, whose kube-scheduler has tried every pod. */
export interface DecidedMatrix {
  readonly client: Pick<ApiClient, 'list'>
  /** Runs `kubectl berth explain pod`, and returns what it prints. */
  readonly explain: (pod: string, format: 'wide' | 'json') => Promise<string>
}

const serviceAccounts: ResourceRef = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}

const line = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** Creates the objects of all cases. No scheduler may run, so that each pod is decided with every object in place. */
export async function createMatrix(client: ApiClient): Promise<void> {
  for (const { nodes, objects } of explainMatrix)
    for (const object of [...nodes, ...objects]) {
      await createMatrixObject(client, object)
      if (object.kind === 'Namespace') await createServiceAccount(client, object.metadata.name)
    }
  for (const { pod } of explainMatrix) await createMatrixObject(client, pod)
}

/** Deletes the objects of all cases that exist, pods first. Controllers may still have to remove finalizers. */
export async function deleteMatrix(client: ApiClient): Promise<void> {
  for (const { nodes, objects, pod } of explainMatrix) {
    for (const object of [pod, ...objects.toReversed(), ...nodes]) {
      const { resource, target } = matrixTarget(object)
      await ignoreMissing(client.delete(resource, target, { gracePeriodSeconds: 0 }))
    }
  }
}

/** Waits until no object of the matrix exists. */
export async function untilMatrixDeleted(client: ApiClient, timeoutMs: number): Promise<void> {
  const all = explainMatrix.flatMap(({ nodes, objects, pod }) => [pod, ...objects, ...nodes]).map(matrixTarget)
  const isGone = async (): Promise<true | undefined> => {
    for (const { resource, target } of all) if ((await client.find(resource, target)) !== undefined) return undefined
    return true
  }
  await eventually(isGone, { what: 'the end of the matrix', timeoutMs, signal: new AbortController().signal })
}

/** Waits until kube-scheduler has written an event about every pod that it decides on. */
export async function untilMatrixDecided(client: Pick<ApiClient, 'list'>, timeoutMs: number): Promise<void> {
  const hasAll = async (): Promise<true | undefined> => {
    const notes = await failures(client)
    return explainMatrix.every(({ name, reasons }) => reasons === undefined || notes.has(name)) ? true : undefined
  }
  await eventually(hasAll, { what: 'an event about every pod', timeoutMs, signal: new AbortController().signal })
}

/** Checks that `explain` names the causes of a case, and says about the nodes what kube-scheduler says. */
export async function checkMatrixCase(
  { name, causes, reasons }: MatrixCase,
  { client, explain }: DecidedMatrix,
): Promise<void> {
  const text = line(await explain(name, 'wide'))
  for (const cause of causes) expectThat(text.includes(cause), `${name}: explain does not say "${cause}": ${text}`)
  const note = (await failures(client)).get(name)
  if (reasons === undefined) return expectThat(note === undefined, `${name}: kube-scheduler says ${note}`)
  const { message } = JSON.parse(await explain(name, 'json')) as { readonly message: string }
  // kube-scheduler appends the result of preemption.
  expectThat(note?.startsWith(message) === true, `${name}: explain says "${message}", kube-scheduler "${note}"`)
  for (const reason of typeof reasons === 'string' ? [reasons] : Object.keys(reasons))
    expectThat(message.includes(reason), `${name}: "${message}" does not name "${reason}"`)
}

/** Returns what kube-scheduler last said about each pod that it could not place. Events of an earlier run do not count. */
async function failures(client: Pick<ApiClient, 'list'>): Promise<ReadonlyMap<string, string>> {
  const [{ items }, pods] = await Promise.all([
    client.list<EventOfPod>(resourceRefs.events, { namespace: 'default' }),
    client.list(resourceRefs.pods, { namespace: 'default' }),
  ])
  const uids = new Set(pods.items.map(({ metadata }) => metadata?.uid))
  const timeOf = ({ metadata, series, eventTime }: EventOfPod): string =>
    series?.lastObservedTime ?? eventTime ?? metadata?.creationTimestamp ?? ''
  const sorted = items
    .filter(({ reason, regarding }) => reason === 'FailedScheduling' && uids.has(regarding?.uid))
    .toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
  return new Map(sorted.map(({ regarding, note }) => [regarding?.name ?? '', note ?? '']))
}

/** Creates the ServiceAccount of pods, which kube-controller-manager creates where it runs. */
async function createServiceAccount(client: ApiClient, namespace: string): Promise<void> {
  try {
    await client.create(serviceAccounts, { metadata: { name: 'default', namespace } })
  } catch (error) {
    if (!isApiStatus(error, 409)) throw error
  }
}

async function ignoreMissing(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!isApiStatus(error, 404)) throw error
  }
}
