import { expect, test } from 'vitest'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { builtInKinds } from '../../resources/kinds/built-in-kinds.ts'
import { columnsOf } from './table-of.ts'

const NOW = Date.UTC(2026, 0, 1, 1)

function cells(storage: string, object: object): readonly unknown[] {
  const kind = builtInKinds.find((each) => each.storage === storage)
  if (kind === undefined) throw new Error(`no kind ${storage}`)
  const whole = {
    apiVersion: 'v1',
    kind: kind.kind,
    metadata: { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' },
    ...object,
  } as ApiObject
  return columnsOf(kind).map(({ cell }) => cell(whole, NOW))
}

const status = (state: object, more: object = {}): object => ({ name: 'c', state, ...more })

test.for([
  { it: 'Pending', pod: { status: { phase: 'Pending' } }, ready: '0/1', text: 'Pending', restarts: '0' },
  {
    it: 'gated',
    pod: { status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] } },
    ready: '0/1',
    text: 'SchedulingGated',
    restarts: '0',
  },
  {
    it: 'Running',
    pod: { status: { phase: 'Running', containerStatuses: [status({ running: {} }, { ready: true })] } },
    ready: '1/1',
    text: 'Running',
    restarts: '0',
  },
  {
    it: 'waiting',
    pod: { status: { phase: 'Pending', containerStatuses: [status({ waiting: { reason: 'ErrImagePull' } })] } },
    ready: '0/1',
    text: 'ErrImagePull',
    restarts: '0',
  },
  {
    it: 'completed',
    pod: { status: { phase: 'Succeeded', containerStatuses: [status({ terminated: { reason: 'Completed' } })] } },
    ready: '0/1',
    text: 'Completed',
    restarts: '0',
  },
  {
    it: 'exited',
    pod: { status: { phase: 'Failed', containerStatuses: [status({ terminated: { exitCode: 3 } })] } },
    ready: '0/1',
    text: 'ExitCode:3',
    restarts: '0',
  },
  {
    it: 'restarted',
    pod: {
      status: {
        phase: 'Running',
        containerStatuses: [
          status(
            { running: {} },
            { ready: true, restartCount: 2, lastState: { terminated: { finishedAt: '2026-01-01T00:59:00Z' } } },
          ),
        ],
      },
    },
    ready: '1/1',
    text: 'Running',
    restarts: '2 (60s ago)',
  },
  {
    it: 'refused by the kubelet',
    pod: { status: { phase: 'Failed', reason: 'OutOfexample.com/dongle' } },
    ready: '0/1',
    text: 'OutOfexample.com/dongle',
    restarts: '0',
  },
  {
    it: 'being deleted',
    pod: { metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' }, status: { phase: 'Running' } },
    ready: '0/1',
    text: 'Terminating',
    restarts: '0',
  },
])('shows a pod that is $it', ({ pod, ready, text, restarts }) => {
  expect(cells('/pods', { spec: { containers: [{ name: 'c' }] }, ...pod }).slice(0, 4)).toEqual([
    'x',
    ready,
    text,
    restarts,
  ])
})

test('counts the readiness gates of a pod', () => {
  const spec = { containers: [], readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] }
  expect(cells('/pods', { spec, status: { conditions: [{ type: 'a', status: 'True' }] } }).at(-1)).toBe('1/2')
})

test.for([
  {
    storage: '/nodes',
    object: { spec: { unschedulable: true }, status: { conditions: [{ type: 'Ready', status: 'False' }] } },
    expected: ['x', 'NotReady,SchedulingDisabled', '<none>'],
  },
  {
    storage: '/nodes',
    object: { metadata: { name: 'x', labels: { 'node-role.kubernetes.io/control-plane': '' } } },
    expected: ['x', 'Unknown', 'control-plane', '<unknown>'],
  },
  {
    storage: '/services',
    object: { spec: { type: 'ClusterIP', clusterIP: '10.0.0.1', ports: [{ port: 80, protocol: 'TCP' }] } },
    expected: ['x', 'ClusterIP', '10.0.0.1', '<none>', '80/TCP', '60m'],
  },
  { storage: '/configmaps', object: { data: { a: '1' }, binaryData: { b: '' } }, expected: ['x', 2, '60m'] },
  { storage: '/secrets', object: { type: 'Opaque', data: { a: '' } }, expected: ['x', 'Opaque', 1, '60m'] },
  {
    storage: '/persistentvolumes',
    object: {
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], claimRef: { namespace: 'n', name: 'c' } },
      status: { phase: 'Bound' },
    },
    expected: ['x', '1Gi', 'RWO', '', 'Bound', 'n/c', '', '60m'],
  },
  {
    storage: '/persistentvolumeclaims',
    object: { spec: { volumeName: 'v' }, status: { phase: 'Bound' } },
    expected: ['x', 'Bound', 'v', '', '', '', '60m'],
  },
  { storage: 'coordination.k8s.io/leases', object: { spec: { holderIdentity: 'me' } }, expected: ['x', 'me', '60m'] },
  {
    storage: 'scheduling.k8s.io/priorityclasses',
    object: { value: 7, globalDefault: true },
    expected: ['x', 7, true, '60m', ''],
  },
  {
    storage: 'policy/poddisruptionbudgets',
    object: { spec: { minAvailable: 1 } },
    expected: ['x', '1', 'N/A', 0, '60m'],
  },
  {
    storage: 'storage.k8s.io/storageclasses',
    object: { provisioner: 'p' },
    expected: ['x', 'p', 'Delete', 'Immediate', false, '60m'],
  },
  {
    storage: 'rbac.authorization.k8s.io/rolebindings',
    object: { roleRef: { kind: 'Role', name: 'r' } },
    expected: ['x', 'Role/r', '60m'],
  },
  { storage: 'rbac.authorization.k8s.io/clusterroles', object: {}, expected: ['x', '2026-01-01T00:00:00Z'] },
  {
    storage: 'apps/statefulsets',
    object: { spec: { replicas: 2 }, status: { readyReplicas: 1 } },
    expected: ['x', '1/2', '60m'],
  },
  {
    storage: 'apps/daemonsets',
    object: { spec: { template: { spec: { nodeSelector: { a: 'b' } } } }, status: { desiredNumberScheduled: 3 } },
    expected: ['x', 3, 0, 0, 0, 0, 'a=b', '60m'],
  },
  {
    storage: 'batch/jobs',
    object: {
      status: {
        succeeded: 1,
        startTime: '2026-01-01T00:00:00Z',
        completionTime: '2026-01-01T00:00:05Z',
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    },
    expected: ['x', 'Complete', '1/1', '5s'],
  },
  {
    storage: 'batch/cronjobs',
    object: { spec: { schedule: '* * * * *' }, status: { lastScheduleTime: '2026-01-01T00:59:00Z' } },
    expected: ['x', '* * * * *', '<none>', false, 0, '60s'],
  },
  {
    storage: 'apps/deployments',
    object: {
      spec: {
        replicas: 3,
        selector: {
          matchExpressions: [
            { key: 'a', operator: 'In', values: ['b'] },
            { key: 'c', operator: 'Exists' },
            { key: 'd', operator: 'DoesNotExist' },
          ],
        },
      },
    },
    expected: ['x', '0/3', '0', '0', '60m', '<none>', '<none>', 'a in (b),c,!d'],
  },
  { storage: '/limitranges', object: {}, expected: ['x', '60m'] },
])('shows an object of $storage as $expected', ({ storage, object, expected }) => {
  expect(cells(storage, object).slice(0, expected.length)).toEqual(expected)
})
