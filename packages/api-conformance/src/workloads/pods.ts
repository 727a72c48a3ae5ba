import { caseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { pod } from '../manifests/manifests.ts'

const DONGLE = 'example.com/dongle'

const refused =
  (resources: object, spec: object = {}) =>
  ({ at, name, post }: CaseSession): Promise<unknown> =>
    post(at('pods'), pod(name, resources, spec))

const spec =
  (more: object) =>
  ({ at, name, post }: CaseSession): Promise<unknown> =>
    post(at('pods'), pod(name, {}, more))

/** Pods: validation and defaults. */
export const pods: CaseGroup = caseGroup('pod', {
  'with-defaults': refused({}),
  'extended-resource': refused({ requests: { [DONGLE]: 1 }, limits: { [DONGLE]: '1' } }),
  'extended-limit-alone': refused({ limits: { [DONGLE]: 2, cpu: '100m' } }),
  'extended-request-alone': refused({ requests: { [DONGLE]: 2 } }),
  'extended-limit-differs': refused({ requests: { [DONGLE]: 1 }, limits: { [DONGLE]: 2 } }),
  'extended-fraction': refused({ requests: { [DONGLE]: '500m' }, limits: { [DONGLE]: '500m' } }),
  'extended-fraction-differs': refused({ requests: { [DONGLE]: '1500m' }, limits: { [DONGLE]: '2' } }),
  'extended-whole-in-milli': refused({ limits: { [DONGLE]: '3000m' } }),
  'extended-exponent': refused({ limits: { [DONGLE]: '1e3' } }),
  'extended-suffix': refused({ limits: { [DONGLE]: '1k' } }),
  'extended-zero': refused({ limits: { [DONGLE]: '0' } }),
  'extended-negative': refused({ limits: { [DONGLE]: '-1' } }),
  'extended-no-quantity': refused({ limits: { [DONGLE]: 'many' } }),
  'extended-boolean': refused({ limits: { [DONGLE]: true } }),
  'extended-in-kubernetes-domain': refused({ limits: { 'kubernetes.io/dongle': 1 } }),
  'extended-with-requests-prefix': refused({ limits: { 'requests.example.com/dongle': 1 } }),
  'extended-upper-case-domain': refused({ limits: { 'Example.com/dongle': 1 } }),
  'extended-two-slashes': refused({ limits: { 'example.com/a/b': 1 } }),
  'extended-empty-name': refused({ limits: { 'example.com/': 1 } }),
  'extended-long-name': refused({ limits: { [`example.com/${'a'.repeat(64)}`]: 1 } }),
  'bare-unknown-resource': refused({ limits: { dongle: 1 } }),
  'standard-but-not-for-containers': refused({ limits: { pods: 1 } }),
  'request-above-limit': refused({ requests: { cpu: '2' }, limits: { cpu: '1', memory: '1Gi' } }),
  'negative-cpu': refused({ requests: { cpu: '-1' } }),
  'huge-pages-alone': refused({ limits: { 'hugepages-2Mi': '4Mi' } }),
  'huge-pages-differ': refused({ limits: { 'hugepages-2Mi': '4Mi', cpu: 1 }, requests: { 'hugepages-2Mi': '2Mi' } }),
  'fractional-bytes': refused({ requests: { memory: '100m' } }),
  'quantities-written-oddly': refused({
    requests: { cpu: '0.5', memory: '1024Ki' },
    limits: { cpu: '1000m', memory: 1_048_576 },
  }),
  'pod-level-extended': spec({ resources: { limits: { [DONGLE]: 1 } } }),
  'pod-level-cpu': spec({ resources: { limits: { cpu: 1 }, requests: { cpu: '500m' } } }),
  guaranteed: refused({ limits: { cpu: '1', memory: '1Gi' } }),
  'no-containers': spec({ containers: [] }),
  'container-without-name': spec({ containers: [{ image: 'a' }] }),
  'container-without-image': spec({ containers: [{ name: 'a' }] }),
  'container-name-upper-case': spec({ containers: [{ name: 'A', image: 'a' }] }),
  'container-names-equal': spec({
    containers: [
      { name: 'a', image: 'a' },
      { name: 'a', image: 'b' },
    ],
  }),
  'init-container-name-taken': spec({ initContainers: [{ name: 'main', image: 'a' }] }),
  'image-with-space': spec({ containers: [{ name: 'a', image: ' a' }] }),
  'pull-policy-unknown': spec({ containers: [{ name: 'a', image: 'a', imagePullPolicy: 'Sometimes' }] }),
  'port-out-of-range': spec({
    containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 70_000, hostPort: -1 }] }],
  }),
  'port-protocol': spec({ containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 1, protocol: 'QUIC' }] }] }),
  'host-ports-equal': spec({
    containers: ['a', 'b'].map((name) => ({ name, image: 'a', ports: [{ containerPort: 1, hostPort: 80 }] })),
  }),
  'mount-of-unknown-volume': spec({
    containers: [{ name: 'a', image: 'a', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
  }),
  'volumes-equal': spec({
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 'v', emptyDir: {} },
    ],
  }),
  'volume-without-source': spec({ volumes: [{ name: 'v' }] }),
  'env-bad-name': spec({ containers: [{ name: 'a', image: 'a', env: [{ name: '' }, { name: 'a=b' }] }] }),
  'restart-policy-unknown': spec({ restartPolicy: 'Maybe' }),
  'dns-policy-unknown': spec({ dnsPolicy: 'Maybe' }),
  'toleration-without-key': spec({ tolerations: [{ operator: 'Equal', value: 'a' }] }),
  'toleration-exists-with-value': spec({ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }),
  'toleration-effect-unknown': spec({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'Never' }] }),
  'toleration-operator-unknown': spec({ tolerations: [{ key: 'a', operator: 'Like' }] }),
  'toleration-seconds-without-execute': spec({
    tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 5, effect: 'NoSchedule' }],
  }),
  'node-selector-bad': spec({ nodeSelector: { 'a b': 'c d' } }),
  'node-name-bad': spec({ nodeName: 'A_b' }),
  'scheduler-name-bad': spec({ schedulerName: 'A_b' }),
  'spread-wrong': spec({ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Perhaps' }] }),
  'node-affinity-wrong': spec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: 'a', operator: 'In' },
                { key: 'b', operator: 'Exists', values: ['x'] },
              ],
            },
          ],
        },
      },
    },
  }),
  'node-affinity-operator-unknown': spec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Like' }] }],
        },
      },
    },
  }),
  'node-affinity-without-terms': spec({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
  }),
  'pod-affinity-without-topology': spec({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { a: 'b' } } }],
      },
    },
  }),
  'deadline-zero': spec({ activeDeadlineSeconds: 0 }),
  'grace-negative': spec({ terminationGracePeriodSeconds: -1 }),
  gated: spec({ schedulingGates: [{ name: 'example.com/wait' }] }),
  'gated-and-bound': spec({ schedulingGates: [{ name: 'example.com/wait' }], nodeName: 'a' }),
  'gates-equal': spec({ schedulingGates: [{ name: 'example.com/wait' }, { name: 'example.com/wait' }] }),
  'gate-added-later': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await patch('merge', at('pods', name), { spec: { schedulingGates: [{ name: 'example.com/wait' }] } })
  },
  'gate-removed': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name, {}, { schedulingGates: [{ name: 'example.com/wait' }] }), { isQuiet: true })
    await patch(
      'merge',
      at('pods', name),
      { spec: { schedulingGates: null } },
      { show: ({ metadata, spec, status }) => ({ metadata, gates: spec.schedulingGates, status }) },
    )
  },
  'priority-class-missing': spec({ priorityClassName: 'exchanges-none' }),
  'priority-class': spec({ priorityClassName: 'system-node-critical' }),
  'priority-given': spec({ priority: 5 }),
  'service-account-missing': spec({ serviceAccountName: 'exchanges-none' }),
  'host-network': spec({
    hostNetwork: true,
    containers: [{ name: 'a', image: 'a:1', ports: [{ containerPort: 81 }] }],
  }),
  'image-tags': spec({
    containers: [
      { name: 'a', image: 'a' },
      { name: 'b', image: 'b:latest' },
      { name: 'c', image: 'c:1' },
    ],
  }),
  'probe-defaults': spec({
    containers: [
      {
        name: 'a',
        image: 'a:1',
        livenessProbe: { httpGet: { port: 80 } },
        env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      },
    ],
  }),
  'volume-defaults': spec({
    volumes: [
      { name: 'c', configMap: { name: 'x' } },
      { name: 's', secret: { secretName: 'x' } },
      { name: 'h', hostPath: { path: '/x' } },
    ],
  }),
  'all-kinds-of-mistakes': spec({ restartPolicy: 'Maybe', containers: [{ name: 'A', image: '' }], nodeName: '-' }),
  'preemption-policy-unknown': spec({ preemptionPolicy: 'Sometimes' }),
  'preemption-policy-of-no-class': spec({ preemptionPolicy: 'Never' }),
  'preemption-policy-of-its-class': spec({ preemptionPolicy: 'PreemptLowerPriority' }),
  'node-affinity-preferred-operator-unknown': spec({
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['x'] }] } },
        ],
      },
    },
  }),
  'node-affinity-fields': spec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }],
        },
      },
    },
  }),
  'node-affinity-other-field': spec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['a'] }] }],
        },
      },
    },
  }),
  'node-affinity-compares-text': spec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['many'] }] }],
        },
      },
    },
  }),
  'pod-affinity-operator-unknown': spec({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'a', labelSelector: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['x'] }] } },
        ],
      },
    },
  }),
  'pull-secrets-of-its-account': async ({ at, name, post }) => {
    const imagePullSecrets = [{ name: 'registry' }]
    await post(at('serviceaccounts'), { metadata: { name }, imagePullSecrets }, { isQuiet: true })
    const show = ({ spec }: Json): unknown => [spec.serviceAccount, spec.imagePullSecrets]
    await post(at('pods'), pod(name, {}, { serviceAccountName: name }), { show })
    const own = { serviceAccountName: name, imagePullSecrets: [{ name: 'own' }] }
    await post(at('pods'), pod(`${name}-2`, {}, own), { show })
  },
})
