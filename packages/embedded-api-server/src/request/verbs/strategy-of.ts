import type { ApiObject } from '../../schema/json/api-object.ts'
import { withMetadata } from '../../schema/json/api-object.ts'
import { isObject, listAt, numberAt, objectAt, own, stringAt } from '../../schema/json/json-object.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { jobStrategy } from '../../resources/workloads/job-strategy.ts'
import {
  limitRangeStrategy,
  policyBindingStrategy,
  policyStrategy,
  webhookStrategy,
} from '../../admission/policies/registration-strategies.ts'
import { definitionStrategy } from '../../crd/definitions/definition-strategy.ts'
import { nodeStrategy } from '../../resources/strategies/node-strategy.ts'
import { podStrategy } from '../../resources/pods/pod-strategy.ts'
import type { ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { validateData } from '../../resources/validation/data-validation.ts'
import type { Strategy } from '../../resources/kinds/strategy.ts'
import { takeStatus, takeStatusAndMetadata } from '../../resources/kinds/status-update.ts'
import { workloadStrategy } from '../../resources/workloads/workload-strategy.ts'

const ROLLING = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } }

const namespaceStrategy: Strategy = {
  defaults: (namespace) =>
    withMetadata(namespace, {
      labels: { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': namespace.metadata.name ?? '' },
    }),
  prepareCreate: (namespace) => ({ ...namespace, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }),
  prepareUpdate: (namespace, old) => ({ ...namespace, spec: old['spec'] }),
}

const serviceStrategy: Strategy = {
  createsOnUpdate: true,
  defaults: (service) => ({
    ...service,
    spec: {
      sessionAffinity: 'None',
      type: 'ClusterIP',
      internalTrafficPolicy: 'Cluster',
      ...objectAt(service, 'spec'),
      ports: listAt(service, 'spec', 'ports').map((port) => ({
        protocol: 'TCP',
        targetPort: own(port, 'port'),
        ...(isObject(port) ? port : {}),
      })),
    },
  }),
  prepareCreate(service, { random }) {
    const asked = stringAt(service, 'spec', 'clusterIP')
    const ip = asked === '' ? `10.96.${Math.floor(random() * 256)}.${1 + Math.floor(random() * 254)}` : asked
    const families = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }
    return {
      ...service,
      spec: { ...families, ...objectAt(service, 'spec'), clusterIP: ip, clusterIPs: [ip] },
      status: { loadBalancer: {} },
    }
  },
  validate: (service) => {
    const needsPorts =
      stringAt(service, 'spec', 'type') !== 'ExternalName' && stringAt(service, 'spec', 'clusterIP') !== 'None'
    return needsPorts && listAt(service, 'spec', 'ports').length === 0 ? [fieldError.required('spec.ports')] : []
  },
  returnsDeleted: true,
}

const eventStrategy: Strategy = {
  createsOnUpdate: true,
  validate(event) {
    const namespace = stringAt(event, 'involvedObject', 'namespace')
    const expected = namespace === '' ? 'default' : namespace
    return expected === event.metadata.namespace
      ? []
      : [fieldError.invalid('involvedObject.namespace', namespace, 'does not match event.namespace')]
  },
}

const HIGHEST_USER_PRIORITY = 1_000_000_000

const priorityClassStrategy: Strategy = {
  defaults: (each) => ({ preemptionPolicy: 'PreemptLowerPriority', ...each }),
  validate: (each, old) =>
    (numberAt(each, 'value') ?? 0) > HIGHEST_USER_PRIORITY && !(each.metadata.name ?? '').startsWith('system-')
      ? [fieldError.forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`)]
      : old !== undefined && numberAt(old, 'value') !== numberAt(each, 'value')
        ? [fieldError.forbidden('value', 'may not be changed in an update.')]
        : [],
}

const leaseStrategy: Strategy = {
  createsOnUpdate: true,
  defaults: (lease) => ({ ...lease, spec: objectAt(lease, 'spec') }),
  validate(lease) {
    const seconds = numberAt(lease, 'spec', 'leaseDurationSeconds')
    const transitions = numberAt(lease, 'spec', 'leaseTransitions')
    return [
      ...(seconds !== undefined && seconds <= 0
        ? [fieldError.invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
        : []),
      ...(transitions !== undefined && transitions < 0
        ? [fieldError.invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
        : []),
    ]
  },
}

const claimStrategy: Strategy = {
  defaults: (claim) => ({ ...claim, spec: { volumeMode: 'Filesystem', ...objectAt(claim, 'spec') } }),
  prepareCreate: (claim) => ({ ...claim, status: { phase: 'Pending' } }),
  returnsDeleted: true,
}

const volumeStrategy: Strategy = {
  defaults: (volume) => ({
    ...volume,
    spec: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem', ...objectAt(volume, 'spec') },
  }),
  prepareCreate: (volume) => ({ ...volume, status: { phase: 'Available' } }),
  returnsDeleted: true,
}

// stringData is only a way to write.
function secretDefaults({ stringData, ...secret }: ApiObject): ApiObject {
  const texts = Object.entries(isObject(stringData) ? stringData : {})
  const written = Object.fromEntries(texts.map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]))
  const data = { ...objectAt(secret, 'data'), ...written }
  return { type: 'Opaque', ...(secret as ApiObject), ...(Object.keys(data).length === 0 ? {} : { data }) }
}

const budgetStrategy: Strategy = {
  validate(budget) {
    const { selector, minAvailable, maxUnavailable, unhealthyPodEvictionPolicy } = objectAt(budget, 'spec')
    if (minAvailable === undefined || maxUnavailable === undefined) return []
    const shown = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
    }
    return [fieldError.invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set')]
  },
}

const CREATED: Strategy = { createsOnUpdate: true }

const STRATEGIES: ReadonlyMap<string, Strategy> = new Map([
  ['/pods', podStrategy],
  ['/nodes', nodeStrategy],
  ['/namespaces', namespaceStrategy],
  ['/services', serviceStrategy],
  ['/events', eventStrategy],
  ['/endpoints', CREATED],
  ['rbac.authorization.k8s.io/roles', CREATED],
  ['rbac.authorization.k8s.io/rolebindings', CREATED],
  ['rbac.authorization.k8s.io/clusterroles', CREATED],
  ['rbac.authorization.k8s.io/clusterrolebindings', CREATED],
  ['storage.k8s.io/volumeattachments', { prepareStatusUpdate: takeStatus }],
  ['/serviceaccounts', { returnsDeleted: true }],
  ['/persistentvolumes', volumeStrategy],
  ['/persistentvolumeclaims', claimStrategy],
  ['/secrets', { defaults: secretDefaults, validate: validateData }],
  ['policy/poddisruptionbudgets', budgetStrategy],
  ['/configmaps', { validate: validateData }],
  ['scheduling.k8s.io/priorityclasses', priorityClassStrategy],
  ['coordination.k8s.io/leases', leaseStrategy],
  ['apiextensions.k8s.io/customresourcedefinitions', definitionStrategy],
  ['admissionregistration.k8s.io/validatingadmissionpolicies', policyStrategy],
  ['admissionregistration.k8s.io/validatingadmissionpolicybindings', policyBindingStrategy],
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', webhookStrategy(false)],
  ['admissionregistration.k8s.io/mutatingwebhookconfigurations', webhookStrategy(true)],
  ['/limitranges', { ...limitRangeStrategy, ...CREATED }],
  [
    'apps/deployments',
    {
      ...workloadStrategy({ replicas: 1, strategy: ROLLING, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
      // Upstream takes back the labels, and nothing else.
      prepareStatusUpdate: (next, old) => withMetadata(takeStatusAndMetadata(next, old), { labels: old.metadata.labels }),
    },
  ],
  ['apps/replicasets', workloadStrategy({ replicas: 1 })],
  [
    'apps/daemonsets',
    workloadStrategy({
      revisionHistoryLimit: 10,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    }),
  ],
  [
    'apps/statefulsets',
    workloadStrategy({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      revisionHistoryLimit: 10,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    }),
  ],
  ['batch/jobs', jobStrategy],
  [
    'batch/cronjobs',
    withoutSelector(
      workloadStrategy(
        { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
        ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
      ),
    ),
  ],
])

// The selector of a Job is made when the CronJob makes the Job.
function withoutSelector(strategy: Strategy): Strategy {
  return {
    ...strategy,
    validate: (object, old, isStatus) =>
      (strategy.validate?.(object, old, isStatus) ?? []).filter(
        ({ field }) => field !== 'spec.selector' && field !== 'spec.template.metadata.labels',
      ),
  }
}

const NOTHING: Strategy = {}

/** How objects of the kind are written. */
export function strategyOf(kind: ResourceKind): Strategy {
  return kind.custom?.strategy ?? STRATEGIES.get(kind.storage) ?? NOTHING
}
