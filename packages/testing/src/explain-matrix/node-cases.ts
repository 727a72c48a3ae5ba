import { matrixCase, type MatrixCase } from './matrix-case.ts'

const TAINTED = 'node(s) had untolerated taint(s)'
const UNMATCHED = "node(s) didn't match Pod's node affinity/selector"
const gpu = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }

function nodeAffinity(...nodeSelectorTerms: readonly object[]): object {
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
}

function expression(key: string, operator: string, ...values: readonly string[]): object {
  return { matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }] }
}

/** Causes in the taints and labels of nodes. */
export const nodeCases: readonly MatrixCase[] = [
  matrixCase('taint-no-schedule', {
    nodes: [{ taints: [gpu] }],
    causes: ['does not tolerate the taint dedicated=gpu:NoSchedule'],
    fixes: ['Tolerate dedicated=gpu:NoSchedule'],
    reasons: { [TAINTED]: 1 },
  }),
  matrixCase('taint-no-execute', {
    nodes: [{ taints: [{ key: 'maintenance', effect: 'NoExecute' }] }],
    causes: ['does not tolerate the taint maintenance:NoExecute'],
    fixes: ['Remove the taint maintenance:NoExecute'],
    reasons: { [TAINTED]: 1 },
  }),
  matrixCase('taint-other-value', {
    nodes: [{ taints: [gpu] }],
    spec: { tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'cpu', effect: 'NoSchedule' }] },
    causes: ['does not tolerate the taint dedicated=gpu:NoSchedule'],
    reasons: { [TAINTED]: 1 },
  }),
  matrixCase('taint-other-effect', {
    nodes: [{ taints: [gpu] }],
    spec: { tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }] },
    causes: ['does not tolerate the taint dedicated=gpu:NoSchedule'],
    reasons: { [TAINTED]: 1 },
  }),
  matrixCase('taint-other-key', {
    nodes: [{ taints: [gpu] }],
    spec: { tolerations: [{ key: 'dedicated2', operator: 'Exists' }] },
    causes: ['does not tolerate the taint dedicated=gpu:NoSchedule'],
    reasons: { [TAINTED]: 1 },
  }),
  matrixCase('taint-second-of-two', {
    nodes: [{ taints: [gpu, { key: 'spot', value: 'true', effect: 'NoSchedule' }] }],
    spec: { tolerations: [{ key: 'dedicated', operator: 'Exists' }] },
    causes: ['does not tolerate the taint spot=true:NoSchedule'],
    reasons: { [TAINTED]: 1 },
  }),
  matrixCase('taint-of-a-condition', {
    nodes: [{ taints: [{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }] }],
    causes: ['does not tolerate the taint node.kubernetes.io/disk-pressure:NoSchedule'],
    fixes: ['Berth found no change'],
    reasons: { [TAINTED]: 1 },
  }),
  matrixCase('cordoned', {
    nodes: [{ isCordoned: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] }],
    causes: ['The node is cordoned'],
    fixes: ['kubectl uncordon cordoned'],
    reasons: { 'node(s) were unschedulable': 1 },
  }),
  matrixCase('selector-absent-label', {
    spec: { nodeSelector: { disk: 'ssd' } },
    causes: ['nodeSelector of the pod requires disk=ssd; the node has no label disk'],
    fixes: ['Label node selector-absent-label with disk=ssd'],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('selector-other-value', {
    nodes: [{ labels: { disk: 'hdd' } }],
    spec: { nodeSelector: { disk: 'ssd' } },
    causes: ['nodeSelector of the pod requires disk=ssd; the node has disk=hdd'],
    fixes: ['Do not require the node label disk=ssd'],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('selector-second-label', {
    nodes: [{ labels: { disk: 'ssd' } }],
    spec: { nodeSelector: { disk: 'ssd', rack: 'r1' } },
    causes: ['nodeSelector of the pod requires rack=r1; the node has no label rack'],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('selector-empty-value', {
    nodes: [{ labels: { batch: 'yes' } }],
    spec: { nodeSelector: { batch: '' } },
    causes: ['nodeSelector of the pod requires batch=; the node has batch=yes'],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('affinity-in', {
    nodes: [{ labels: { disk: 'hdd' } }],
    spec: { affinity: nodeAffinity(expression('disk', 'In', 'ssd', 'nvme')) },
    causes: ['Node affinity term 1 of 1 requires disk in (ssd, nvme); the node has disk=hdd'],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('affinity-not-in', {
    nodes: [{ labels: { disk: 'hdd' } }],
    spec: { affinity: nodeAffinity(expression('disk', 'NotIn', 'hdd')) },
    causes: ['Node affinity term 1 of 1 requires disk not in (hdd); the node has disk=hdd'],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('affinity-exists', {
    spec: { affinity: nodeAffinity(expression('fast', 'Exists')) },
    causes: ['Node affinity term 1 of 1 requires the label fast; the node has no label fast'],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('affinity-does-not-exist', {
    nodes: [{ labels: { slow: 'yes' } }],
    spec: { affinity: nodeAffinity(expression('slow', 'DoesNotExist')) },
    causes: ['Node affinity term 1 of 1 requires no label slow; the node has slow=yes'],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('affinity-greater', {
    nodes: [{ labels: { cores: '8' } }],
    spec: { affinity: nodeAffinity(expression('cores', 'Gt', '16')) },
    causes: ['Node affinity term 1 of 1 requires cores Gt 16; the node has cores=8'],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('affinity-less', {
    nodes: [{ labels: { cores: '8' } }],
    spec: { affinity: nodeAffinity(expression('cores', 'Lt', '4')) },
    causes: ['Node affinity term 1 of 1 requires cores Lt 4; the node has cores=8'],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('affinity-two-terms', {
    nodes: [{ labels: { disk: 'hdd' } }],
    spec: { affinity: nodeAffinity(expression('disk', 'In', 'ssd'), expression('rack', 'Exists')) },
    causes: [
      'Node affinity term 1 of 2 requires disk in (ssd); the node has disk=hdd',
      'Node affinity term 2 of 2 requires the label rack; the node has no label rack',
    ],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('affinity-other-name', {
    spec: {
      affinity: nodeAffinity({
        matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['affinity-other-name'] }],
      }),
    },
    causes: ['Node affinity term 1 of 1 requires metadata.name not in (affinity-other-name)'],
    reasons: { [UNMATCHED]: 1 },
  }),
  matrixCase('one-node-tainted-one-unlabelled', {
    nodes: [{ taints: [gpu], labels: { disk: 'ssd' } }, {}],
    spec: { nodeSelector: { disk: 'ssd' } },
    causes: ['does not tolerate the taint dedicated=gpu:NoSchedule', 'requires disk=ssd; the node has no label disk'],
    reasons: { [TAINTED]: 1, [UNMATCHED]: 1 },
  }),
]
