import type { CommandLine } from '@berth/process/command'
import type { ClusterSnapshot } from '@berth/cluster-view'
import type { Explanation } from '@berth/fit-engine'
import { type ApiClient, type Cluster } from '@berth/k8s-client'
import { schedulerNameOf } from '@berth/scheduler-config'
import type { OwnerReference, Pod } from '@berth/types'
import type { CommandContext } from '../cli/command.ts'
import { profileChooser, type ProfileChoice } from '../profile/choose-profiles.ts'
import type { Profiles } from '../profile/load-profiles.ts'
import { controllerOf } from './controller-of.ts'
import { decisionKeyOf } from './decision-key.ts'
import { disagreementOf } from './disagreement.ts'
import { answerFor, decideOnSnapshot } from './explain-on-snapshot.ts'
import { explainGroup } from './explain-group.ts'
import { findWorkload } from './find-workload.ts'
import { knownObjects } from './observed/known-objects.ts'
import { observedStatus } from './observed/observed-status.ts'
import { surroundingsReader } from './observed/pod-surroundings.ts'
import { quotaObstacles, resourceQuotas, type ResourceQuota } from './observed/quota-obstacles.ts'
import { leaseNamesOf } from './observed/scheduler-sign.ts'
import { unevaluatedAnswer, type PodAnswer } from './pod-answer.ts'
import type { FixTarget } from './recipes/fix-recipe.ts'
import type { Target, Targets } from './subjects/read-subjects.ts'

/** Input of an explainer. */
export interface ExplainerInput {
  readonly line: CommandLine
  readonly context: CommandContext
  readonly cluster: Cluster
  readonly snapshot: ClusterSnapshot
  /** The profiles of the command line. */
  readonly given: Profiles
}

/** Explains the targets, in their order. Pods that decide alike are decided once. */
export async function explainTargets(
  { list }: Targets,
  { line, context, cluster, snapshot, given }: ExplainerInput,
): Promise<readonly PodAnswer[]> {
  const { terminal, stop } = context
  const { client } = cluster
  const { clock, random } = terminal
  const choose = profileChooser(line, given, { context, client, snapshot })
  const surroundings = surroundingsReader(
    client,
    list.map(({ pod }) => pod),
    stop,
  )
  const findOwner = workloadFinder(client, stop)
  const quotasOf = quotaReader(client, stop)
  const decided = new Map<string, Explanation>()
  const isBlind = snapshot.forbidden.includes('nodes')

  const decideOnce = (pod: Pod, profiles: Profiles): Explanation => {
    const key = decisionKeyOf(pod)
    const known = key === undefined ? undefined : decided.get(key)
    if (known !== undefined) return known
    const explanation = decideOnSnapshot(pod, snapshot, profiles, terminal)
    if (key !== undefined) decided.set(key, explanation)
    return explanation
  }
  const verdictOn = async (target: Target, { profiles, sentence }: ProfileChoice): Promise<PodAnswer> => {
    const { pod, file, template } = target
    if (isBlind) return unevaluatedAnswer(pod, 'this user may not list nodes')
    const workload = template?.owner ?? (file === undefined ? await findOwner(pod) : undefined)
    const fixTarget: FixTarget = { pod, workload, file, nodeOf: (node) => snapshot.nodes.get(node) }
    const answer = answerFor(fixTarget, snapshot, profiles, decideOnce(pod, profiles))
    const { framework } = profiles.profileOf(pod)
    const groupInput = { cluster, snapshot, framework, nowMs: clock.now(), random, signal: stop }
    const group = await explainGroup(pod, groupInput)
    return { ...answer, ...(group !== undefined && { group }), profile: { source: profiles.source, sentence } }
  }
  const explainOne = async (target: Target): Promise<PodAnswer> => {
    const { pod, file, template } = target
    const choice = await choose(pod)
    const answer = await verdictOn(target, choice)
    if (file !== undefined || template !== undefined) {
      const obstacles = [
        ...(template === undefined ? [] : [template.obstacle]),
        ...quotaObstacles(pod, await quotasOf(pod.metadata.namespace ?? 'default')),
      ]
      return obstacles.length === 0 ? answer : { ...answer, hindrances: obstacles }
    }
    const { profiles } = choice
    const around = await surroundings.read(pod, leaseNamesOf(schedulerNameOf(pod), profiles.leaseName))
    const observed = observedStatus(pod, around, { known: knownObjects(snapshot), nowMs: clock.now() })
    const disagreement = disagreementOf(pod, answer, observed, { profiles, nowMs: clock.now() })
    return { ...answer, observed, ...(disagreement !== undefined && { disagreement }) }
  }
  const answers: PodAnswer[] = []
  for (const target of list) answers.push(await explainOne(target))
  return answers
}

/** Returns a function that finds the workload of a pod. Pods of one controller share the request. */
function workloadFinder(client: ApiClient, signal: AbortSignal): (pod: Pod) => Promise<OwnerReference | undefined> {
  const found = new Map<string, Promise<OwnerReference | undefined>>()
  return (pod) => {
    const uid = controllerOf(pod.metadata.ownerReferences)?.uid
    if (uid === undefined) return Promise.resolve(undefined)
    let workload = found.get(uid)
    if (workload === undefined) found.set(uid, (workload = findWorkload(client, pod, signal)))
    return workload
  }
}

/** Returns a function that lists the quotas of a namespace; empty where this user may not. */
function quotaReader(
  client: Pick<ApiClient, 'list'>,
  signal: AbortSignal,
): (namespace: string) => Promise<readonly ResourceQuota[]> {
  const lists = new Map<string, Promise<readonly ResourceQuota[]>>()
  return (namespace) => {
    let quotas = lists.get(namespace)
    if (quotas === undefined) {
      quotas = client.list<ResourceQuota>(resourceQuotas, { namespace, signal }).then(
        ({ items }) => items,
        () => {
          signal.throwIfAborted()
          return []
        },
      )
      lists.set(namespace, quotas)
    }
    return quotas
  }
}
