import type { Json } from './json.ts'
import type { Choices } from './random.ts'

const CLASSES = ['late', 'late', 'late', 'later']
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'

const field = (object: Json, key: string): Json => (object[key] ?? {}) as Json

/** Returns the names of the claims that the pod uses, also through ephemeral volumes. */
export function claimNames(pod: Json): readonly unknown[] {
  return ((field(pod, 'spec')['volumes'] ?? []) as Json[]).flatMap((volume) => {
    if ('ephemeral' in volume) return `${String(field(pod, 'metadata')['name'])}-${String(volume['name'])}`
    return 'persistentVolumeClaim' in volume ? field(volume, 'persistentVolumeClaim')['claimName'] : []
  })
}

/** Removes the volumes that are not claims, which would add reasons against a node. */
function withClaimsOnly(pod: Json): Json {
  const spec = field(pod, 'spec')
  const volumes = ((spec['volumes'] ?? []) as Json[]).filter(
    (volume) => 'ephemeral' in volume || 'persistentVolumeClaim' in volume,
  )
  return { ...pod, spec: { ...spec, volumes } }
}

function waitingClaim(choices: Choices, claim: Json): Json {
  const { annotations, deletionTimestamp: _deleted, ...metadata } = field(claim, 'metadata')
  const { [BIND_COMPLETED]: _completed, ...kept } = (annotations ?? {}) as Json
  const { volumeName: _bound, ...spec } = field(claim, 'spec')
  return {
    ...claim,
    metadata: { ...metadata, annotations: kept },
    spec: {
      ...spec,
      storageClassName: choices.pick(CLASSES),
      ...(choices.chance(0.8) && { accessModes: ['ReadWriteOnce'] }),
    },
    status: { phase: 'Pending' },
  }
}

function freeVolume(choices: Choices, volume: Json): Json {
  const spec = field(volume, 'spec')
  const accessModes = [...new Set(['ReadWriteOnce', ...(spec['accessModes'] as string[])])]
  return {
    ...volume,
    spec: { ...spec, storageClassName: choices.pick(CLASSES), ...(choices.chance(0.9) && { accessModes }) },
    status: { phase: 'Available' },
  }
}

/**
 * Makes most claims of the two pods wait for their first consumer, and most volumes free, so that there is something to
 * bind. Both pods are in one namespace.
 */
export function withWaitingClaims(choices: Choices, question: Json): Json {
  const pod = withClaimsOnly(question['pod'] as Json)
  const { namespace } = field(pod, 'metadata')
  const names = new Set(
    [pod, question['nextPod'] as Json | undefined].flatMap((each) => (each === undefined ? [] : claimNames(each))),
  )
  const mayWait = ({ metadata }: Json): boolean =>
    (metadata as Json)['namespace'] === namespace && names.has((metadata as Json)['name'])
  return {
    ...question,
    pod,
    persistentVolumes: (question['persistentVolumes'] as Json[]).map((volume) =>
      choices.chance(0.85) ? freeVolume(choices, volume) : volume,
    ),
    persistentVolumeClaims: (question['persistentVolumeClaims'] as Json[]).map((claim) =>
      mayWait(claim) && choices.chance(0.9) ? waitingClaim(choices, claim) : claim,
    ),
  }
}
