import { matrixCase, type MatrixCase, type MatrixObject, occupant } from './matrix-case.ts'

const STORAGE = 'storage.k8s.io/v1'
const bindCompleted = { 'pv.kubernetes.io/bind-completed': 'yes' }

function claim(name: string, spec: object, metadata: object = {}): MatrixObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default', ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } }, ...spec },
  }
}

/** A volume that is bound to the claim of the same name. */
function boundVolume(name: string, spec: object, metadata: object = {}): MatrixObject {
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name }
  return volume(name, { claimRef, ...spec }, 'Bound', metadata)
}

function volume(name: string, spec: object, phase: string, metadata: object = {}): MatrixObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, ...metadata },
    spec: {
      capacity: { storage: '5Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'disk.example.com', volumeHandle: name },
      ...spec,
    },
    status: { phase },
  }
}

function boundClaim(name: string, more: object = {}): MatrixObject {
  return claim(name, { volumeName: name, storageClassName: '', ...more }, { annotations: bindCompleted })
}

function storageClass(name: string, more: object): MatrixObject {
  return {
    apiVersion: STORAGE,
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
    ...more,
  }
}

function using(claimName: string): object {
  return { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] }
}

function onlyNodesWith(key: string, value: string): object {
  return { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }] } }
}

const disk = (readOnly = false): object => ({
  volumes: [{ name: 'disk', gcePersistentDisk: { pdName: 'pd-1', readOnly } }],
})

/** Causes in claims, volumes and drivers. */
export const volumeCases: readonly MatrixCase[] = [
  matrixCase('claim-absent', {
    spec: using('claim-absent'),
    causes: ['Volume data uses the PersistentVolumeClaim claim-absent, which does not exist in namespace default'],
    reasons: 'persistentvolumeclaim "claim-absent" not found',
  }),
  matrixCase('claim-not-bound', {
    objects: [
      storageClass('claim-not-bound', { volumeBindingMode: 'Immediate' }),
      claim('claim-not-bound', { storageClassName: 'claim-not-bound' }),
    ],
    spec: using('claim-not-bound'),
    causes: ['Its storage class claim-not-bound binds volumes at once, so the pod waits for the claim'],
    reasons: 'pod has unbound immediate PersistentVolumeClaims',
  }),
  matrixCase('claim-without-class', {
    objects: [claim('claim-without-class', { storageClassName: '' })],
    spec: using('claim-without-class'),
    causes: ['Claim claim-without-class is not bound and has no storage class'],
    reasons: 'pod has unbound immediate PersistentVolumeClaims',
  }),
  matrixCase('volume-of-other-node', {
    objects: [
      boundVolume('volume-of-other-node', { nodeAffinity: onlyNodesWith('disk', 'd9') }),
      boundClaim('volume-of-other-node'),
    ],
    nodes: [{ labels: { disk: 'd1' } }],
    spec: using('volume-of-other-node'),
    causes: [
      'Claim volume-of-other-node is bound to volume volume-of-other-node, but only nodes with disk in (d9) reach it',
    ],
    reasons: { "node(s) didn't match PersistentVolume's node affinity": 1 },
  }),
  matrixCase('volume-of-other-zone', {
    objects: [
      boundVolume('volume-of-other-zone', {}, { labels: { 'topology.kubernetes.io/zone': 'z9' } }),
      boundClaim('volume-of-other-zone'),
    ],
    nodes: [{ labels: { 'topology.kubernetes.io/zone': 'z1' } }],
    spec: using('volume-of-other-zone'),
    causes: ['with topology.kubernetes.io/zone z9; node volume-of-other-zone has topology.kubernetes.io/zone=z1'],
    reasons: { 'node(s) had no available volume zone': 1 },
  }),
  matrixCase('volume-absent', {
    objects: [boundClaim('volume-absent')],
    spec: using('volume-absent'),
    causes: ['Claim volume-absent is bound to volume volume-absent, which does not exist'],
    reasons: 'persistentvolume "volume-absent" not found',
  }),
  matrixCase('volume-too-small', {
    objects: [
      storageClass('volume-too-small', {}),
      volume('volume-too-small', { storageClassName: 'volume-too-small', capacity: { storage: '1Gi' } }, 'Available'),
      claim('volume-too-small', { storageClassName: 'volume-too-small' }),
    ],
    spec: using('volume-too-small'),
    causes: ['Volume volume-too-small does not match claim volume-too-small: it has 1Gi, and the claim requests 5Gi'],
    reasons: { "node(s) didn't find available persistent volumes to bind": 1 },
  }),
  matrixCase('volume-other-access-mode', {
    objects: [
      storageClass('volume-other-access-mode', {}),
      volume('volume-other-access-mode', { storageClassName: 'volume-other-access-mode' }, 'Available'),
      claim('volume-other-access-mode', {
        storageClassName: 'volume-other-access-mode',
        accessModes: ['ReadWriteMany'],
      }),
    ],
    spec: using('volume-other-access-mode'),
    causes: ['it has the access modes ReadWriteOnce, and the claim requests ReadWriteMany'],
    reasons: { "node(s) didn't find available persistent volumes to bind": 1 },
  }),
  matrixCase('volume-other-labels', {
    objects: [
      storageClass('volume-other-labels', {}),
      volume('volume-other-labels', { storageClassName: 'volume-other-labels' }, 'Available', {
        labels: { tier: 'slow' },
      }),
      claim('volume-other-labels', {
        storageClassName: 'volume-other-labels',
        selector: { matchLabels: { tier: 'fast' } },
      }),
    ],
    spec: using('volume-other-labels'),
    causes: ['the selector of the claim does not match its labels (tier=slow)'],
    reasons: { "node(s) didn't find available persistent volumes to bind": 1 },
  }),
  matrixCase('class-without-provisioner', {
    objects: [
      storageClass('class-without-provisioner', {}),
      claim('class-without-provisioner', { storageClassName: 'class-without-provisioner' }),
    ],
    spec: using('class-without-provisioner'),
    causes: ['Storage class class-without-provisioner of claim class-without-provisioner provisions no volumes'],
    reasons: { "node(s) didn't find available persistent volumes to bind": 1 },
  }),
  matrixCase('class-of-other-topology', {
    objects: [
      storageClass('class-of-other-topology', {
        provisioner: 'disk.example.com',
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'rack', values: ['r9'] }] }],
      }),
      claim('class-of-other-topology', { storageClassName: 'class-of-other-topology' }),
    ],
    nodes: [{ labels: { rack: 'r1' } }],
    spec: using('class-of-other-topology'),
    causes: ['provisions volumes only for nodes with rack in (r9); node class-of-other-topology has rack=r1'],
    reasons: { "node(s) didn't find available persistent volumes to bind": 1 },
  }),
  matrixCase('no-storage-capacity', {
    objects: [
      {
        apiVersion: STORAGE,
        kind: 'CSIDriver',
        metadata: { name: 'tight.example.com' },
        spec: { storageCapacity: true },
      },
      storageClass('no-storage-capacity', { provisioner: 'tight.example.com' }),
      claim('no-storage-capacity', { storageClassName: 'no-storage-capacity' }),
    ],
    spec: using('no-storage-capacity'),
    causes: ['Provisioner tight.example.com reports no CSIStorageCapacity with room for the 5Gi'],
    reasons: { 'node(s) did not have enough free storage': 1 },
  }),
  matrixCase('claim-of-one-pod', {
    objects: [
      boundVolume('claim-of-one-pod', { accessModes: ['ReadWriteOncePod'] }),
      boundClaim('claim-of-one-pod', { accessModes: ['ReadWriteOncePod'] }),
      occupant('claim-of-one-pod', using('claim-of-one-pod')),
    ],
    spec: using('claim-of-one-pod'),
    causes: [
      'Claim claim-of-one-pod has the access mode ReadWriteOncePod, and default/claim-of-one-pod-occupant uses it',
    ],
    reasons: {
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod': 1,
    },
  }),
  matrixCase('disk-in-use', {
    objects: [occupant('disk-in-use', disk())],
    spec: disk(),
    causes: ['Volume disk of pod default/disk-in-use-occupant is a disk that the pod also uses'],
    reasons: { 'node(s) had no available disk': 1 },
  }),
  matrixCase('volume-limit', {
    objects: [
      {
        apiVersion: STORAGE,
        kind: 'CSINode',
        metadata: { name: 'volume-limit' },
        spec: { drivers: [{ name: 'limited.example.com', nodeID: 'volume-limit', allocatable: { count: 1 } }] },
      },
      ...['volume-limit', 'volume-limit-1'].flatMap((name) => [
        boundVolume(name, { csi: { driver: 'limited.example.com', volumeHandle: name } }),
        boundClaim(name),
      ]),
      occupant('volume-limit', using('volume-limit-1')),
    ],
    spec: using('volume-limit'),
    causes: ['CSI driver limited.example.com attaches at most 1 volumes to the node: 1 are in use and the pod adds 1'],
    reasons: { 'node(s) exceed max volume count': 1 },
  }),
]
