import { isListed, type ClusterSnapshot } from '@berth/cluster-view'
import { isApiStatus, resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import { shellCommand } from '@berth/text/shell-command'
import type { OwnerReference, Pod, Workload } from '@berth/types'
import { readTextFile } from '../../cli/read-text-file.ts'
import type { Terminal } from '../../cli/terminal.ts'
import { CommandError } from '../../errors.ts'
import { controllerOf } from '../controller-of.ts'
import { coreEvents, type CoreEvent } from '../observed/core-event.ts'
import type { Obstacle } from '../observed/find-obstacles.ts'
import { podOfTemplate, podsFromManifest, readPod } from '../read-pod.ts'
import { isWaiting } from './is-waiting.ts'
import type { NamedSubject } from './named-subjects.ts'
import type { Subjects } from './parse-subjects.ts'
import { podsOfWorkload } from './pods-of-workload.ts'
import { missingPods, unknownPods, workloadName } from './workload-finding.ts'

/** One pod to explain. */
export interface Target {
  readonly pod: Pod
  /** The manifest from which the pod was read; undefined when the pod is in the cluster. */
  readonly file: string | undefined
  /** The workload whose pod template this is, and why it has no pods; undefined for a pod of the cluster. */
  readonly template?: { readonly owner: OwnerReference; readonly obstacle: Obstacle }
}

/** The pods to explain. */
export interface Targets {
  readonly list: readonly Target[]
  /** Sentences about subjects without a pod to explain. */
  readonly notes: readonly string[]
}

/** Sources of {@link readSubjects}. */
export interface SubjectSources {
  readonly client: ApiClient
  readonly snapshot: Pick<ClusterSnapshot, 'pods' | 'forbidden' | 'fallbackNamespace'>
  readonly namespace: string
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/**
 * Returns the pods that the command line asks about. Of a workload, these are the pods that do not run; the template,
 * when it has no pod.
 *
 * @throws CommandError BERTH_KUBECTL_NOT_FOUND, BERTH_KUBECTL_FILE, and the client's errors.
 */
export async function readSubjects(wanted: Subjects, sources: SubjectSources): Promise<Targets> {
  const { snapshot, namespace, terminal } = sources
  switch (wanted.kind) {
    case 'file': {
      const { file } = wanted
      const pods = podsFromManifest(await readTextFile(terminal, file), { file, namespace })
      return { list: pods.map((pod) => ({ pod, file })), notes: [] }
    }
    case 'all-pending': {
      const pods = snapshot.pods.filter(
        (pod) => isWaiting(pod) && (wanted.isEveryNamespace || pod.metadata.namespace === namespace),
      )
      const where = wanted.isEveryNamespace ? undefined : namespace
      return { list: pods.map(inCluster), notes: pods.length === 0 ? [nonePending(snapshot, where)] : [] }
    }
    case 'named': {
      const read = await Promise.all(wanted.subjects.map((subject) => readNamed(subject, sources)))
      const byUid = new Map(
        read.flatMap(({ list }) => list).map((target) => [target.pod.metadata.uid ?? target, target]),
      )
      return { list: [...byUid.values()], notes: read.flatMap(({ notes }) => notes) }
    }
  }
}

/** Says that no pod is pending, as far as pods could be listed. Undefined: in all namespaces. */
export function nonePending(snapshot: SubjectSources['snapshot'], namespace: string | undefined): string {
  const { fallbackNamespace = '' } = snapshot
  if (isListed(snapshot, 'pods', namespace))
    return `No pod of ${namespace === undefined ? 'the cluster' : `namespace ${namespace}`} is pending.`
  if (namespace === undefined && isListed(snapshot, 'pods', fallbackNamespace))
    return `No pod of namespace ${fallbackNamespace} is pending. Whether pods of other namespaces than ${fallbackNamespace} are pending is unknown: this user may not list pods there.`
  const pods = namespace === undefined ? 'pods' : `pods of namespace ${namespace}`
  return `Whether ${pods} are pending is unknown: this user may not list pods.`
}

function inCluster(pod: Pod): Target {
  return { pod, file: undefined }
}

async function readNamed({ resource, name }: NamedSubject, sources: SubjectSources): Promise<Targets> {
  const { client, snapshot, namespace, signal } = sources
  if (resource.plural === 'pods')
    return { list: [inCluster(await readPod(client, { namespace, name }, signal))], notes: [] }
  const workload = await readWorkload(resource, name, sources)
  const listedSets =
    resource.plural === 'deployments' ? await listPermitted<Workload>(resourceRefs.replicaSets, sources) : []
  const replicaSets = listedSets ?? []
  const pods = podsOfWorkload(workload, { pods: snapshot.pods, replicaSets })
  const waiting = pods.filter(isWaiting)
  if (waiting.length > 0) return { list: waiting.map(inCluster), notes: [] }
  const title = `${workloadName(workload)} in namespace ${namespace}`
  if (pods.length > 0) return { list: [], notes: [`${title}: none of its ${pods.length} pods is pending.`] }
  const unlisted = [
    ...(isListed(snapshot, 'pods', namespace) ? [] : ['pods']),
    ...(listedSets === undefined ? ['replicasets'] : []),
  ]
  const obstacle =
    unlisted.length > 0
      ? unknownPods(workload, unlisted)
      : missingPods(workload, await eventsAbout(workload, replicaSets, sources))
  const pod = podOfTemplate(workload)
  if (pod === undefined) return { list: [], notes: [obstacle.sentence] }
  const { kind = '', apiVersion = '' } = workload
  const owner: OwnerReference = { apiVersion, kind, name, uid: workload.metadata.uid ?? '', controller: true }
  return { list: [{ pod, file: undefined, template: { owner, obstacle } }], notes: [] }
}

/** Returns the events about a workload and its ReplicaSets; undefined where this user may not list events. */
async function eventsAbout(
  { metadata }: Workload,
  replicaSets: readonly Workload[],
  sources: SubjectSources,
): Promise<readonly CoreEvent[] | undefined> {
  const owners = new Set([
    metadata.uid,
    ...replicaSets
      .filter((set) => controllerOf(set.metadata.ownerReferences)?.uid === metadata.uid)
      .map((set) => set.metadata.uid),
  ])
  const events = await listPermitted<CoreEvent>(coreEvents, sources)
  return events?.filter(({ involvedObject }) => owners.has(involvedObject?.uid ?? ''))
}

async function readWorkload(
  resource: ResourceRef,
  name: string,
  { client, namespace, signal }: SubjectSources,
): Promise<Workload> {
  try {
    const workload = await client.get<Workload>(resource, { namespace, name }, { signal })
    const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
    return { ...workload, kind: resource.kind, apiVersion }
  } catch (error) {
    if (!isApiStatus(error, 404)) throw error
    throw new CommandError(`read ${resource.kind.toLowerCase()} ${namespace}/${name}: not found`, {
      code: 'BERTH_KUBECTL_NOT_FOUND',
      cause: error,
      hint: `List them: ${shellCommand('kubectl', 'get', resource.plural, '-n', namespace)}`,
    })
  }
}

/** Lists a type in the namespace. Undefined where this user may not: the answer is then less certain, but not lost. */
async function listPermitted<T>(
  resource: ResourceRef,
  { client, namespace, signal }: SubjectSources,
): Promise<readonly T[] | undefined> {
  try {
    return (await client.list<T>(resource, { namespace, signal })).items
  } catch (error) {
    if (!isApiStatus(error, 403)) throw error
    return undefined
  }
}
