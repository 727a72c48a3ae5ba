import { shellCommand } from '@berth/text/shell-command'
import { isBound } from '@berth/resources'
import { type ContainerStatus, isDnsSubdomain, type Pod } from '@berth/types'

/** Something in the API that keeps a pod from running, whatever the fit of the pod. */
export interface Obstacle {
  readonly kind:
    | 'scheduling-gate'
    | 'node-missing'
    | 'claim-missing'
    | 'being-deleted'
    | 'image-pull'
    | 'container-config'
    | 'init-container'
    | 'quota'
    | 'no-pods'
    | 'pods-unknown'
  readonly sentence: string
  readonly commands: readonly string[]
}

/** Checks which objects of the cluster exist. They return undefined when that is not known; such an object is not reported as missing. */
export interface KnownObjects {
  readonly hasNode: (name: string) => boolean | undefined
  readonly hasClaim: (namespace: string, name: string) => boolean | undefined
}

/** Reasons of a waiting container for which the image is the cause. */
const imageReasons: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
])

/** Reasons of a waiting container for which its Secrets, ConfigMaps or security settings are the cause. */
const configReasons: ReadonlySet<string> = new Set(['CreateContainerConfigError', 'CreateContainerError'])

/** Finds what keeps a pod from running, in the order in which it must be removed. Empty when nothing is known. */
export function findObstacles(pod: Pod, known: KnownObjects): readonly Obstacle[] {
  return [...deletion(pod), ...gates(pod), ...missingClaims(pod, known), ...missingNode(pod, known), ...containers(pod)]
}

/** The words that select the pod for kubectl; undefined when a name is not one that the API server accepts. */
function podWords({ metadata }: Pod): readonly string[] | undefined {
  const { name = '', namespace = 'default' } = metadata
  return isDnsSubdomain(name) && isDnsSubdomain(namespace) ? ['pod', name, '-n', namespace] : undefined
}

function commandFor(pod: Pod, ...words: readonly string[]): readonly string[] {
  const target = podWords(pod)
  return target === undefined ? [] : [shellCommand('kubectl', ...words, ...target)]
}

/** Container names come from the status, which the API server does not validate. */
function logsCommand(pod: Pod, container: string, ...flags: readonly string[]): readonly string[] {
  return isDnsSubdomain(container) ? commandFor(pod, 'logs', ...flags, '-c', container) : []
}

function deletion(pod: Pod): Obstacle[] {
  const { deletionTimestamp, finalizers = [] } = pod.metadata
  if (deletionTimestamp === undefined) return []
  const held =
    finalizers.length === 0
      ? 'The kubelet of its node must confirm that the containers stopped.'
      : `It stays until ${finalizers.join(', ')} ${finalizers.length === 1 ? 'is' : 'are'} removed from its finalizers.`
  return [
    {
      kind: 'being-deleted',
      sentence: `The pod is being deleted since ${deletionTimestamp}, so no scheduler places it. ${held}`,
      commands: [],
    },
  ]
}

function gates(pod: Pod): Obstacle[] {
  const names = (pod.spec.schedulingGates ?? []).map(({ name }) => name)
  if (names.length === 0) return []
  const removal = '[{"op":"remove","path":"/spec/schedulingGates"}]'
  return [
    {
      kind: 'scheduling-gate',
      sentence: `No scheduler looks at the pod before its scheduling gates are removed: ${names.join(', ')}. The controller that set a gate removes it; the command removes all of them.`,
      commands: commandFor(pod, 'patch', '--type=json', '-p', removal),
    },
  ]
}

function missingClaims(pod: Pod, { hasClaim }: KnownObjects): Obstacle[] {
  const { namespace = 'default' } = pod.metadata
  return (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = ephemeral === undefined ? persistentVolumeClaim?.claimName : `${pod.metadata.name ?? ''}-${name}`
    if (claim === undefined || hasClaim(namespace, claim) !== false) return []
    const creator = ephemeral === undefined ? '' : ', which the ephemeral-volume controller creates'
    return {
      kind: 'claim-missing' as const,
      sentence: `Volume ${name} uses the PersistentVolumeClaim ${claim}, which does not exist in namespace ${namespace}${creator}.`,
      commands: isDnsSubdomain(namespace) ? [shellCommand('kubectl', 'get', 'pvc', '-n', namespace)] : [],
    }
  })
}

function missingNode(pod: Pod, { hasNode }: KnownObjects): Obstacle[] {
  const node = pod.spec.nodeName ?? ''
  if (!isBound(pod) || hasNode(node) !== false) return []
  return [
    {
      kind: 'node-missing',
      sentence: `The pod is assigned to node ${node}, which does not exist. No scheduler looks at a pod that has a node, so it never starts; the garbage collector deletes it, and its controller creates another.`,
      commands: commandFor(pod, 'delete'),
    },
  ]
}

/** A container that has not started, with the kubelet's reason. */
interface WaitingContainer {
  readonly name: string
  readonly isInit: boolean
  readonly reason: string
  readonly message: string
}

function containers(pod: Pod): Obstacle[] {
  if (!isBound(pod)) return []
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {}
  const sidecars = new Set(
    (pod.spec.initContainers ?? []).flatMap(({ name, restartPolicy }) => (restartPolicy === 'Always' ? name : [])),
  )
  const waiting = [
    ...initContainerStatuses.flatMap((status) => waitingContainer(status, true)),
    ...containerStatuses.flatMap((status) => waitingContainer(status, false)),
  ]
  const running = initContainerStatuses.filter(
    ({ name, state }) => state?.['running'] !== undefined && !sidecars.has(name),
  )
  return [
    ...waiting.flatMap((container) => waitingObstacle(pod, container)),
    ...running.map(({ name }) => ({
      kind: 'init-container' as const,
      sentence: `The init container ${name} still runs; the containers after it start when it ends.`,
      commands: logsCommand(pod, name),
    })),
  ]
}

function waitingContainer({ name, state }: ContainerStatus, isInit: boolean): WaitingContainer[] {
  const waiting = state?.['waiting'] as { readonly reason?: string; readonly message?: string } | undefined
  const { reason = '', message = '' } = waiting ?? {}
  return reason === '' ? [] : [{ name, isInit, reason, message }]
}

function waitingObstacle(pod: Pod, { name, isInit, reason, message }: WaitingContainer): Obstacle[] {
  const text = message === '' ? reason : `${reason}: ${message}`
  const container = `${isInit ? 'init container' : 'container'} ${name}`
  const image =
    [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find((one) => one.name === name)?.image ?? ''
  if (imageReasons.has(reason)) {
    return [
      {
        kind: 'image-pull',
        sentence: `The image ${image} of ${container} does not pull (${text}).`,
        commands: commandFor(pod, 'describe'),
      },
    ]
  }
  if (configReasons.has(reason))
    return [
      {
        kind: 'container-config',
        sentence: `The ${container} cannot be created (${text}).`,
        commands: commandFor(pod, 'describe'),
      },
    ]
  if (isInit && reason === 'CrashLoopBackOff') {
    return [
      {
        kind: 'init-container',
        sentence: `The ${container} fails again and again (${text}); the containers after it do not start.`,
        commands: logsCommand(pod, name, '--previous'),
      },
    ]
  }
  return []
}
