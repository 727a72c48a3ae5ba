import { caseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { pod } from '../manifests/manifests.ts'

const DONGLE = 'example.com/dongle'

/** Returns a case that creates a pod whose container has these resources. */
const createsWithResources =
  (resources: object, spec: object = {}) =>
  ({ at, name, post }: CaseSession): Promise<unknown> =>
    post(at('pods'), pod(name, resources, spec))

/** Returns a case that creates a pod with these fields in its spec. */
const createsWithSpec =
  (more: object) =>
  ({ at, name, post }: CaseSession): Promise<unknown> =>
    post(at('pods'), pod(name, {}, more))

/** Pods: validation and defaults. */
export const pods: CaseGroup = caseGroup('pod', {
  'with-defaults': createsWithResources({}),
  'extended-resource': createsWithResources({ requests: { [DONGLE]: 1 }, limits: { [DONGLE]: '1' } }),
  'extended-limit-alone': createsWithResources({ limits: { [DONGLE]: 2, cpu: '100m' } }),
  'extended-request-alone': createsWithResources({ requests: { [DONGLE]: 2 } }),
  'extended-limit-differs': createsWithResources({ requests: { [DONGLE]: 1 }, limits: { [DONGLE]: 2 } }),
  'extended-fraction': createsWithResources({ requests: { [DONGLE]: '500m' }, limits: { [DONGLE]: '500m' } }),
  'extended-fraction-differs': createsWithResources({ requests: { [DONGLE]: '1500m' }, limits: { [DONGLE]: '2' } }),
  'extended-whole-in-milli': createsWithResources({ limits: { [DONGLE]: '3000m' } }),
  'extended-exponent': createsWithResources({ limits: { [DONGLE]: '1e3' } }),
  'extended-suffix': createsWithResources({ limits: { [DONGLE]: '1k' } }),
  'extended-zero': createsWithResources({ limits: { [DONGLE]: '0' } }),
  'extended-negative': createsWithResources({ limits: { [DONGLE]: '-1' } }),
  'extended-no-quantity': createsWithResources({ limits: { [DONGLE]: 'many' } }),
  'extended-boolean': createsWithResources({ limits: { [DONGLE]: true } }),
  'extended-in-kubernetes-domain': createsWithResources({ limits: { 'kubernetes.io/dongle': 1 } }),
  'extended-with-requests-prefix': createsWithResources({ limits: { 'requests.example.com/dongle': 1 } }),
  'extended-upper-case-domain': createsWithResources({ limits: { 'Example.com/dongle': 1 } }),
  'extended-two-slashes': createsWithResources({ limits: { 'example.com/a/b': 1 } }),
  'extended-empty-name': createsWithResources({ limits: { 'example.com/': 1 } }),
  'extended-long-name': createsWithResources({ limits: { [`example.com/${'a'.repeat(64)}`]: 1 } }),
  'bare-unknown-resource': createsWithResources({ limits: { dongle: 1 } }),
  'standard-but-not-for-containers': createsWithResources({ limits: { pods: 1 } }),
  'request-above-limit': createsWithResources({ requests: { cpu: '2' }, limits: { cpu: '1', memory: '1Gi' } }),
  'negative-cpu': createsWithResources({ requests: { cpu: '-1' } }),
  'huge-pages-alone': createsWithResources({ limits: { 'hugepages-2Mi': '4Mi' } }),
  'huge-pages-differ': createsWithResources({
    limits: { 'hugepages-2Mi': '4Mi', cpu: 1 },
    requests: { 'hugepages-2Mi': '2Mi' },
  }),
  'fractional-bytes': createsWithResources({ requests: { memory: '100m' } }),
  'quantities-written-oddly': createsWithResources({
    requests: { cpu: '0.5', memory: '1024Ki' },
    limits: { cpu: '1000m', memory: 1_048_576 },
  }),
  'pod-level-extended': createsWithSpec({ resources: { limits: { [DONGLE]: 1 } } }),
  'pod-level-cpu': createsWithSpec({ resources: { limits: { cpu: 1 }, requests: { cpu: '500m' } } }),
  guaranteed: createsWithResources({ limits: { cpu: '1', memory: '1Gi' } }),
  'no-containers': createsWithSpec({ containers: [] }),
  'container-without-name': createsWithSpec({ containers: [{ image: 'a' }] }),
  'container-without-image': createsWithSpec({ containers: [{ name: 'a' }] }),
  'container-name-upper-case': createsWithSpec({ containers: [{ name: 'A', image: 'a' }] }),
  'container-names-equal': createsWithSpec({
    containers: [
      { name: 'a', image: 'a' },
      { name: 'a', image: 'b' },
    ],
  }),
  'init-container-name-taken': createsWithSpec({ initContainers: [{ name: 'main', image: 'a' }] }),
  'image-with-space': createsWithSpec({ containers: [{ name: 'a', image: ' a' }] }),
  'pull-policy-unknown': createsWithSpec({ containers: [{ name: 'a', image: 'a', imagePullPolicy: 'Sometimes' }] }),
  'port-out-of-range': createsWithSpec({
    containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 70_000, hostPort: -1 }] }],
  }),
  'port-protocol': createsWithSpec({
    containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 1, protocol: 'QUIC' }] }],
  }),
  'host-ports-equal': createsWithSpec({
    containers: ['a', 'b'].map((name) => ({ name, image: 'a', ports: [{ containerPort: 1, hostPort: 80 }] })),
  }),
  'mount-of-unknown-volume': createsWithSpec({
    containers: [{ name: 'a', image: 'a', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
  }),
  'volumes-equal': createsWithSpec({
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 'v', emptyDir: {} },
    ],
  }),
  'volume-without-source': createsWithSpec({ volumes: [{ name: 'v' }] }),
  'env-bad-name': createsWithSpec({ containers: [{ name: 'a', image: 'a', env: [{ name: '' }, { name: 'a=b' }] }] }),
  'restart-policy-unknown': createsWithSpec({ restartPolicy: 'Maybe' }),
  'dns-policy-unknown': createsWithSpec({ dnsPolicy: 'Maybe' }),
  'toleration-without-key': createsWithSpec({ tolerations: [{ operator: 'Equal', value: 'a' }] }),
  'toleration-exists-with-value': createsWithSpec({ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }),
  'toleration-effect-unknown': createsWithSpec({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'Never' }] }),
  'toleration-operator-unknown': createsWithSpec({ tolerations: [{ key: 'a', operator: 'Like' }] }),
  'toleration-seconds-without-execute': createsWithSpec({
    tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 5, effect: 'NoSchedule' }],
  }),
  'node-selector-bad': createsWithSpec({ nodeSelector: { 'a b': 'c d' } }),
  'node-name-bad': createsWithSpec({ nodeName: 'A_b' }),
  'scheduler-name-bad': createsWithSpec({ schedulerName: 'A_b' }),
  'spread-wrong': createsWithSpec({
    topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Perhaps' }],
  }),
  'node-affinity-wrong': createsWithSpec({
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
  'node-affinity-operator-unknown': createsWithSpec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Like' }] }],
        },
      },
    },
  }),
  'node-affinity-without-terms': createsWithSpec({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
  }),
  'pod-affinity-without-topology': createsWithSpec({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { a: 'b' } } }],
      },
    },
  }),
  'deadline-zero': createsWithSpec({ activeDeadlineSeconds: 0 }),
  'grace-negative': createsWithSpec({ terminationGracePeriodSeconds: -1 }),
  gated: createsWithSpec({ schedulingGates: [{ name: 'example.com/wait' }] }),
  'gated-and-bound': createsWithSpec({ schedulingGates: [{ name: 'example.com/wait' }], nodeName: 'a' }),
  'gates-equal': createsWithSpec({ schedulingGates: [{ name: 'example.com/wait' }, { name: 'example.com/wait' }] }),
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
  'priority-class-missing': createsWithSpec({ priorityClassName: 'exchanges-none' }),
  'priority-class': createsWithSpec({ priorityClassName: 'system-node-critical' }),
  'priority-given': createsWithSpec({ priority: 5 }),
  'service-account-missing': createsWithSpec({ serviceAccountName: 'exchanges-none' }),
  'host-network': createsWithSpec({
    hostNetwork: true,
    containers: [{ name: 'a', image: 'a:1', ports: [{ containerPort: 81 }] }],
  }),
  'image-tags': createsWithSpec({
    containers: [
      { name: 'a', image: 'a' },
      { name: 'b', image: 'b:latest' },
      { name: 'c', image: 'c:1' },
    ],
  }),
  'probe-defaults': createsWithSpec({
    containers: [
      {
        name: 'a',
        image: 'a:1',
        livenessProbe: { httpGet: { port: 80 } },
        env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      },
    ],
  }),
  'volume-defaults': createsWithSpec({
    volumes: [
      { name: 'c', configMap: { name: 'x' } },
      { name: 's', secret: { secretName: 'x' } },
      { name: 'h', hostPath: { path: '/x' } },
    ],
  }),
  'all-kinds-of-mistakes': createsWithSpec({
    restartPolicy: 'Maybe',
    containers: [{ name: 'A', image: '' }],
    nodeName: '-',
  }),
  'preemption-policy-unknown': createsWithSpec({ preemptionPolicy: 'Sometimes' }),
  'preemption-policy-of-no-class': createsWithSpec({ preemptionPolicy: 'Never' }),
  'preemption-policy-of-its-class': createsWithSpec({ preemptionPolicy: 'PreemptLowerPriority' }),
  'node-affinity-preferred-operator-unknown': createsWithSpec({
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['x'] }] } },
        ],
      },
    },
  }),
  'node-affinity-fields': createsWithSpec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }],
        },
      },
    },
  }),
  'node-affinity-other-field': createsWithSpec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['a'] }] }],
        },
      },
    },
  }),
  'node-affinity-compares-text': createsWithSpec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['many'] }] }],
        },
      },
    },
  }),
  'pod-affinity-operator-unknown': createsWithSpec({
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
