import { container, matrixCase, type MatrixCase, occupant } from './matrix-case.ts'

const DONGLE = 'example.com/dongle'
const SEAT = 'example.com/seat'
const asking = (amounts: Readonly<Record<string, string>>): object => ({ containers: [container(amounts)] })

/** Causes in the amounts of nodes. The causes are cells of the table of nodes. */
export const resourceCases: readonly MatrixCase[] = [
  matrixCase('cpu', {
    objects: [occupant('cpu', asking({ cpu: '3' }))],
    spec: asking({ cpu: '2' }),
    causes: ['cpu 2 4 1 default/cpu-occupant (3)'],
    fixes: ['Request 1 cpu instead of 2'],
    reasons: { 'Insufficient cpu': 1 },
  }),
  matrixCase('cpu-never', {
    spec: asking({ cpu: '5' }),
    causes: ['cpu 5 4 4 <none>'],
    reasons: { 'Insufficient cpu': 1 },
  }),
  matrixCase('memory', {
    objects: [occupant('memory', asking({ memory: '7Gi' }))],
    spec: asking({ memory: '2Gi' }),
    causes: ['memory 2Gi 8Gi 1Gi default/memory-occupant (7Gi)'],
    reasons: { 'Insufficient memory': 1 },
  }),
  matrixCase('ephemeral-storage', {
    spec: asking({ 'ephemeral-storage': '11Gi' }),
    causes: ['ephemeral-storage 11Gi 10Gi 10Gi'],
    reasons: { 'Insufficient ephemeral-storage': 1 },
  }),
  matrixCase('huge-pages', {
    spec: asking({ 'hugepages-2Mi': '4Mi', cpu: '1', memory: '1Gi' }),
    causes: ['hugepages-2Mi 4Mi 0 0'],
    reasons: { 'Insufficient hugepages-2Mi': 1 },
  }),
  matrixCase('units-held', {
    nodes: [{ allocatable: { [DONGLE]: '4' } }],
    objects: [occupant('units-held', asking({ [DONGLE]: '3' }))],
    spec: asking({ [DONGLE]: '2' }),
    causes: [`${DONGLE} 2 4 1 default/units-held-occupant (3)`],
    fixes: [
      'Evict default/units-held-occupant from node units-held',
      `Increase the capacity of node units-held by 1 ${DONGLE}`,
    ],
    reasons: { [`Insufficient ${DONGLE}`]: 1 },
  }),
  matrixCase('units-not-offered', {
    spec: asking({ [DONGLE]: '1' }),
    causes: [`${DONGLE} 1 0 0 not offered here`],
    reasons: { [`Insufficient ${DONGLE}`]: 1 },
  }),
  matrixCase('units-of-a-controller', {
    nodes: [{ allocatable: { [DONGLE]: '1' } }],
    objects: [
      {
        ...occupant('units-of-a-controller', asking({ [DONGLE]: '1' })),
        metadata: {
          name: 'units-of-a-controller-occupant',
          namespace: 'default',
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid: 'gone', controller: true }],
        },
      },
    ],
    spec: asking({ [DONGLE]: '1' }),
    causes: [`${DONGLE} 1 1 0 default/units-of-a-controller-occupant (1)`],
    fixes: ['1. Increase the capacity'],
    reasons: { [`Insufficient ${DONGLE}`]: 1 },
  }),
  matrixCase('two-resources', {
    nodes: [{ allocatable: { [DONGLE]: '1', [SEAT]: '2' } }],
    spec: asking({ [DONGLE]: '2', [SEAT]: '3' }),
    causes: [`${DONGLE} 2 1 1`, `${SEAT} 3 2 2`],
    reasons: { [`Insufficient ${DONGLE}`]: 1, [`Insufficient ${SEAT}`]: 1 },
  }),
  matrixCase('init-container-amount', {
    nodes: [{ allocatable: { [DONGLE]: '2' } }],
    spec: {
      initContainers: [container({ [DONGLE]: '3' }, { name: 'init' })],
      containers: [container({ [DONGLE]: '1' })],
    },
    causes: [`${DONGLE} 3 2 2`],
    reasons: { [`Insufficient ${DONGLE}`]: 1 },
  }),
  matrixCase('sidecar-amount', {
    nodes: [{ allocatable: { [DONGLE]: '2' } }],
    spec: {
      initContainers: [container({ [DONGLE]: '2' }, { name: 'side', restartPolicy: 'Always' })],
      containers: [container({ [DONGLE]: '1' })],
    },
    causes: [`${DONGLE} 3 2 2`],
    reasons: { [`Insufficient ${DONGLE}`]: 1 },
  }),
  matrixCase('too-many-pods', {
    nodes: [{ allocatable: { pods: '1' } }],
    objects: [occupant('too-many-pods')],
    causes: ['The node accepts 1 pods and has 1'],
    reasons: { 'Too many pods': 1 },
  }),
  matrixCase('units-on-two-nodes', {
    nodes: [{ allocatable: { [SEAT]: '1' } }, { allocatable: { [SEAT]: '2' } }],
    spec: asking({ [SEAT]: '3' }),
    causes: [],
    fixes: ['Request 2 example.com/seat instead of 3: node units-on-two-nodes-1 has that much left'],
    reasons: { [`Insufficient ${SEAT}`]: 2 },
  }),
]
