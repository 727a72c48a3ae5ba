import { container, matrixCase, type MatrixCase, occupant, podObject } from './matrix-case.ts'

const NOT_NEAR = "node(s) didn't match pod affinity rules"
const TOO_NEAR = "node(s) didn't match pod anti-affinity rules"
const KEPT_AWAY = "node(s) didn't satisfy existing pods anti-affinity rules"
const SKEWED = "node(s) didn't match pod topology spread constraints"
const NO_PORT = "node(s) didn't have free ports for the requested pod ports"
const zoned = (name: string, zone: string): Readonly<Record<string, string>> => ({ zone: `${name}-${zone}` })

function near(kind: 'podAffinity' | 'podAntiAffinity', ...terms: readonly object[]): object {
  return { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: terms } }
}

function term(app: string, topologyKey: string, more: object = {}): object {
  return { labelSelector: { matchLabels: { app } }, topologyKey, ...more }
}

function spread(app: string, topologyKey: string, more: object = {}): object {
  return {
    labelSelector: { matchLabels: { app } },
    topologyKey,
    maxSkew: 1,
    whenUnsatisfiable: 'DoNotSchedule',
    ...more,
  }
}

function port(hostPort: number, more: object = {}): object {
  return { containers: [container({}, { ports: [{ containerPort: 80, hostPort, ...more }] })] }
}

/** Causes in the rules about other pods, and in host ports. */
export const podCases: readonly MatrixCase[] = [
  matrixCase('affinity-no-pod', {
    nodes: [{ labels: zoned('affinity-no-pod', 'z1') }],
    spec: { affinity: near('podAffinity', term('nobody', 'zone')) },
    causes: [
      'Pod affinity term 1 (pods with app=nobody, within zone): no such pod runs in zone=affinity-no-pod-z1; none runs anywhere',
    ],
    reasons: { [NOT_NEAR]: 1 },
  }),
  matrixCase('affinity-other-zone', {
    nodes: [
      { labels: zoned('affinity-other-zone', 'z1'), isCordoned: true },
      { labels: zoned('affinity-other-zone', 'z2') },
    ],
    objects: [occupant('affinity-other-zone', {}, { app: 'cache-1' })],
    spec: { affinity: near('podAffinity', term('cache-1', 'zone')) },
    causes: ['no such pod runs in zone=affinity-other-zone-z2; they run in affinity-other-zone-z1'],
    reasons: { [NOT_NEAR]: 1, 'node(s) were unschedulable': 1 },
  }),
  matrixCase('affinity-no-key', {
    objects: [occupant('affinity-no-key', {}, { app: 'cache-2' })],
    spec: { affinity: near('podAffinity', term('cache-2', 'zone')) },
    causes: ['Pod affinity term 1 (pods with app=cache-2, within zone): the node has no label zone'],
    reasons: { [NOT_NEAR]: 1 },
  }),
  matrixCase('affinity-second-term', {
    objects: [occupant('affinity-second-term', {}, { app: 'cache-3' })],
    spec: {
      affinity: near(
        'podAffinity',
        term('cache-3', 'kubernetes.io/hostname'),
        term('other-3', 'kubernetes.io/hostname'),
      ),
    },
    causes: ['Pod affinity term 2 (pods with app=other-3, within kubernetes.io/hostname): no such pod'],
    reasons: { [NOT_NEAR]: 1 },
  }),
  matrixCase('affinity-other-namespace', {
    objects: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'matrix-other' } },
      {
        ...podObject('affinity-other-namespace-far', { nodeName: 'affinity-other-namespace' }),
        metadata: { name: 'affinity-other-namespace-far', namespace: 'matrix-other', labels: { app: 'cache-4' } },
      },
    ],
    spec: { affinity: near('podAffinity', term('cache-4', 'kubernetes.io/hostname')) },
    causes: ['Pod affinity term 1 (pods with app=cache-4, within kubernetes.io/hostname): no such pod'],
    reasons: { [NOT_NEAR]: 1 },
  }),
  matrixCase('anti-affinity-host', {
    objects: [occupant('anti-affinity-host', {}, { app: 'db-1' })],
    spec: { affinity: near('podAntiAffinity', term('db-1', 'kubernetes.io/hostname')) },
    causes: [
      'Pod anti-affinity term 1 (pods with app=db-1, within kubernetes.io/hostname): default/anti-affinity-host-occupant runs in',
    ],
    fixes: ['Do not require to stay away from certain pods within kubernetes.io/hostname'],
    reasons: { [TOO_NEAR]: 1 },
  }),
  matrixCase('anti-affinity-zone', {
    nodes: [{ labels: zoned('anti-affinity-zone', 'z1') }, { labels: zoned('anti-affinity-zone', 'z1') }],
    objects: [occupant('anti-affinity-zone', {}, { app: 'db-2' })],
    spec: { affinity: near('podAntiAffinity', term('db-2', 'zone')) },
    causes: ['default/anti-affinity-zone-occupant runs in zone=anti-affinity-zone-z1'],
    reasons: { [TOO_NEAR]: 2 },
  }),
  matrixCase('anti-affinity-second-term', {
    objects: [occupant('anti-affinity-second-term', {}, { app: 'db-3' })],
    spec: {
      affinity: near(
        'podAntiAffinity',
        term('other-db-3', 'kubernetes.io/hostname'),
        term('db-3', 'kubernetes.io/hostname'),
      ),
    },
    causes: ['Pod anti-affinity term 2 (pods with app=db-3, within kubernetes.io/hostname)'],
    reasons: { [TOO_NEAR]: 1 },
  }),
  matrixCase('anti-affinity-expression', {
    objects: [occupant('anti-affinity-expression', {}, { tier: 'db-4' })],
    spec: {
      affinity: near('podAntiAffinity', {
        topologyKey: 'kubernetes.io/hostname',
        labelSelector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['db-4', 'db-5'] }] },
      }),
    },
    causes: ['pods with tier in (db-4, db-5)'],
    reasons: { [TOO_NEAR]: 1 },
  }),
  matrixCase('existing-anti-affinity', {
    objects: [
      occupant('existing-anti-affinity', {
        affinity: near('podAntiAffinity', term('existing-anti-affinity', 'kubernetes.io/hostname')),
      }),
    ],
    causes: [
      'The anti-affinity of default/existing-anti-affinity-occupant, in kubernetes.io/hostname=existing-anti-affinity, keeps the pod away',
    ],
    reasons: { [KEPT_AWAY]: 1 },
  }),
  matrixCase('spread-skew', {
    nodes: [{ labels: zoned('spread-skew', 'z1') }, { labels: zoned('spread-skew', 'z2'), isCordoned: true }],
    objects: [occupant('spread-skew', {}, { app: 'spread-skew' })],
    spec: { topologySpreadConstraints: [spread('spread-skew', 'zone')] },
    causes: [
      'zone=spread-skew-z1 has 1 matching pods and the domain with the fewest has 0; the skew with this pod would be 2, and maxSkew is 1',
    ],
    fixes: ['Only prefer to spread over zone (maxSkew 1)'],
    reasons: { [SKEWED]: 1, 'node(s) were unschedulable': 1 },
  }),
  matrixCase('spread-no-key', {
    spec: { topologySpreadConstraints: [spread('spread-no-key', 'zone')] },
    causes: ['Spread constraint over zone of pods with app=spread-no-key: the node has no label zone'],
    reasons: { [`${SKEWED} (missing required label)`]: 1 },
  }),
  matrixCase('spread-min-domains', {
    nodes: [{ labels: zoned('spread-min-domains', 'z1') }],
    objects: [occupant('spread-min-domains', {}, { app: 'spread-min-domains' })],
    spec: { topologySpreadConstraints: [spread('spread-min-domains', 'zone', { minDomains: 3 })] },
    causes: ['there are 1 domains and minDomains is 3, so the fewest count as 0'],
    reasons: { [SKEWED]: 1 },
  }),
  matrixCase('spread-second-constraint', {
    nodes: [
      { labels: zoned('spread-second-constraint', 'z1') },
      { labels: zoned('spread-second-constraint', 'z1'), isCordoned: true },
    ],
    objects: [occupant('spread-second-constraint', {}, { app: 'spread-second-constraint' })],
    spec: {
      topologySpreadConstraints: [
        spread('spread-second-constraint', 'zone'),
        spread('spread-second-constraint', 'kubernetes.io/hostname'),
      ],
    },
    causes: [
      'Spread constraint over kubernetes.io/hostname of pods with app=spread-second-constraint: kubernetes.io/hostname=spread-second-constraint has 1 matching pods',
    ],
    reasons: { [SKEWED]: 1, 'node(s) were unschedulable': 1 },
  }),
  matrixCase('port-in-use', {
    objects: [occupant('port-in-use', port(8080))],
    spec: port(8080),
    causes: ['Host port 8080/TCP is in use by pod default/port-in-use-occupant'],
    fixes: ['Do not use the host port 8080'],
    reasons: { [NO_PORT]: 1 },
  }),
  matrixCase('port-udp', {
    objects: [occupant('port-udp', port(5353, { protocol: 'UDP' }))],
    spec: port(5353, { protocol: 'UDP' }),
    causes: ['Host port 5353/UDP is in use'],
    reasons: { [NO_PORT]: 1 },
  }),
  matrixCase('port-of-one-address', {
    objects: [occupant('port-of-one-address', port(8081))],
    spec: port(8081, { hostIP: '10.0.0.1' }),
    causes: ['Host port 10.0.0.1:8081/TCP is in use by pod default/port-of-one-address-occupant'],
    reasons: { [NO_PORT]: 1 },
  }),
  matrixCase('port-of-a-sidecar', {
    objects: [occupant('port-of-a-sidecar', port(8082))],
    spec: {
      initContainers: [
        container({}, { name: 'side', restartPolicy: 'Always', ports: [{ containerPort: 80, hostPort: 8082 }] }),
      ],
    },
    causes: ['Host port 8082/TCP is in use'],
    reasons: { [NO_PORT]: 1 },
  }),
]
