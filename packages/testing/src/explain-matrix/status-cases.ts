import { matrixCase, type MatrixCase } from './matrix-case.ts'

const waiting = (reason: string, message: string): object => ({ waiting: { reason, message } })

/** Causes that the API shows and on which no scheduler decides. */
export const statusCases: readonly MatrixCase[] = [
  matrixCase('scheduling-gate', {
    spec: { schedulingGates: [{ name: 'example.com/quota' }] },
    causes: ['No scheduler looks at the pod before its scheduling gates are removed: example.com/quota'],
    reasons: undefined,
  }),
  matrixCase('scheduler-absent', {
    spec: { schedulerName: 'nobody' },
    causes: ['Scheduler nobody: no sign of it, neither a Lease nor a recent event'],
    reasons: undefined,
  }),
  matrixCase('node-absent', {
    spec: { nodeName: 'node-99' },
    causes: ['The pod is assigned to node node-99, which does not exist'],
    reasons: undefined,
  }),
  matrixCase('image-does-not-pull', {
    spec: { nodeName: 'image-does-not-pull' },
    podStatus: {
      phase: 'Pending',
      containerStatuses: [
        {
          name: 'ctr',
          image: 'none',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: waiting('ErrImagePull', 'no such host'),
        },
      ],
    },
    causes: ['The image none of container ctr does not pull (ErrImagePull: no such host)'],
    reasons: undefined,
  }),
  matrixCase('secret-absent', {
    spec: { nodeName: 'secret-absent' },
    podStatus: {
      phase: 'Pending',
      containerStatuses: [
        {
          name: 'ctr',
          image: 'none',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: waiting('CreateContainerConfigError', 'secret "s" not found'),
        },
      ],
    },
    causes: ['The container ctr cannot be created (CreateContainerConfigError: secret "s" not found)'],
    reasons: undefined,
  }),
  matrixCase('init-container-fails', {
    spec: { nodeName: 'init-container-fails', initContainers: [{ name: 'wait', image: 'none' }] },
    podStatus: {
      phase: 'Pending',
      initContainerStatuses: [
        {
          name: 'wait',
          image: 'none',
          imageID: '',
          ready: false,
          restartCount: 9,
          state: waiting('CrashLoopBackOff', 'back-off'),
        },
      ],
    },
    causes: ['The init container wait fails again and again (CrashLoopBackOff: back-off)'],
    reasons: undefined,
  }),
  matrixCase('init-container-hangs', {
    spec: { nodeName: 'init-container-hangs', initContainers: [{ name: 'wait', image: 'none' }] },
    podStatus: {
      phase: 'Pending',
      initContainerStatuses: [
        {
          name: 'wait',
          image: 'none',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
        },
      ],
    },
    causes: ['The init container wait still runs'],
    reasons: undefined,
  }),
]
