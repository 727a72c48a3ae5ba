import type { PersistentVolume, PersistentVolumeClaim } from '@berth/types'
import { expect, test } from 'vitest'
import { claim, labelled, onlyWhere, stored, volume } from '../../../test/storage-builders.ts'
import { bindingProgress } from './binding-progress.ts'

const HOST = 'kubernetes.io/hostname'
const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
const node = labelled('a', { [HOST]: 'a' })
const owned = { claimRef: { namespace: 'default', name: 'c', uid: 'c' } }
const selected = { annotations: { [SELECTED_NODE]: 'a' } }
const at = (version: string) => ({ resourceVersion: version })

const pending = claim('c', {}, at('5'))
const bound = claim('c', { volumeName: 'pv' }, at('6'))

/** Returns the progress of a volume that was written with version 5. */
function staticProgress(seen: PersistentVolume | undefined, owner: PersistentVolumeClaim | undefined) {
  return progress(
    { bindings: [{ volume: volume('pv', owned, at('5')), claim: pending }], provisioned: [] },
    seen,
    owner,
  )
}

/** Returns the progress of a claim that was written with version 5. */
function provisioned(seen: PersistentVolumeClaim | undefined, created?: PersistentVolume) {
  return progress({ bindings: [], provisioned: [claim('c', {}, { ...at('5'), ...selected })] }, created, seen)
}

function progress(
  written: Parameters<typeof bindingProgress>[0],
  seenVolume: PersistentVolume | undefined,
  seenClaim: PersistentVolumeClaim | undefined,
) {
  const { objects } = stored([], {
    persistentVolumes: seenVolume === undefined ? [] : [seenVolume],
    persistentVolumeClaims: seenClaim === undefined ? [] : [seenClaim],
  })
  const result = bindingProgress(written, node, {
    get: (kind, key) => objects.get(kind, key),
    isOlder: (read, other) => Number(read.metadata.resourceVersion) < Number(other.metadata.resourceVersion),
  })
  return result.kind === 'failed' ? result.reason : result.kind
}

test.for([
  { it: 'a bound volume', volume: volume('pv', owned, at('5')), claim: bound, is: 'bound' },
  { it: 'a claim that is not bound yet', volume: volume('pv', owned, at('5')), claim: pending, is: 'waiting' },
  { it: 'a volume that is not seen yet', volume: volume('pv', {}, at('4')), claim: bound, is: 'waiting' },
  {
    it: 'a claim whose binding is not complete',
    volume: volume('pv', owned, at('5')),
    claim: { ...pending, spec: { volumeName: 'pv' } },
    is: 'waiting',
  },
  {
    it: 'a reset reference',
    volume: volume('pv', { claimRef: { name: 'c' } }, at('6')),
    claim: bound,
    is: 'ClaimRef got reset for pv "pv"',
  },
  {
    it: 'a deleted volume',
    volume: undefined,
    claim: bound,
    is: 'failed to check binding: persistentvolumes "pv" not found',
  },
  {
    it: 'a deleted claim',
    volume: volume('pv', owned, at('5')),
    claim: undefined,
    is: 'failed to check binding: persistentvolumeclaims "default/c" not found',
  },
  {
    it: 'a node that lost its label',
    volume: volume('pv', { ...owned, ...onlyWhere(HOST, 'b') }, at('6')),
    claim: bound,
    is: `pv "pv" node affinity doesn't match node "a": no matching NodeSelectorTerms`,
  },
])('an existing volume: $it', ({ volume: seen, claim: owner, is }) => {
  expect(staticProgress(seen, owner)).toBe(is)
})

test.for([
  { it: 'a bound claim', claim: claim('c', { volumeName: 'pv' }, { ...at('6'), ...selected }), is: 'bound' },
  { it: 'no volume yet', claim: claim('c', {}, { ...at('5'), ...selected }), is: 'waiting' },
  { it: 'a claim that is not seen yet', claim: claim('c', {}, at('4')), is: 'waiting' },
  {
    it: 'a volume that is not seen yet',
    claim: claim('c', { volumeName: 'other' }, { ...at('6'), ...selected }),
    is: 'waiting',
  },
  { it: 'failed provisioning', claim: claim('c', {}, at('6')), is: 'provisioning failed for PVC "c"' },
  {
    it: 'no annotation left',
    claim: { metadata: { namespace: 'default', name: 'c', ...at('6') }, spec: {} },
    is: 'selectedNode annotation reset for PVC "c"',
  },
  {
    it: 'a deleted claim',
    claim: undefined,
    is: 'failed to check provisioning pvc: persistentvolumeclaims "default/c" not found',
  },
])('a provisioned volume: $it', ({ claim: seen, is }) => {
  expect(provisioned(seen, volume('pv', owned, at('6')))).toBe(is)
})

test('a provisioned volume that the node cannot reach fails the binding', () => {
  const seen = claim('c', { volumeName: 'pv' }, { ...at('6'), ...selected })
  expect(provisioned(seen, volume('pv', { ...owned, ...onlyWhere(HOST, 'b') }))).toContain(
    "affinity doesn't match node",
  )
})
