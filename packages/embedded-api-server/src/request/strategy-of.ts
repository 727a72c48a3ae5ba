import {
  policyBindingStrategy,
  policyStrategy,
  webhookStrategy,
} from '../admission/policies/registration-strategies.ts'
import { limitRangeStrategy } from '../admission/quotas/limit-range-strategy.ts'
import { definitionStrategy } from '../crd/definitions/definition-strategy.ts'
import type { ResourceKind } from '../resources/kinds/resource-kind.ts'
import { updateStatusOnly } from '../resources/kinds/status-update.ts'
import type { Strategy } from '../resources/kinds/strategy.ts'
import { podStrategy } from '../resources/pods/pod-strategy.ts'
import { autoscalerStrategy } from '../resources/strategies/autoscaler-strategy.ts'
import { configMapStrategy, secretStrategy } from '../resources/strategies/data-strategies.ts'
import { disruptionBudgetStrategy } from '../resources/strategies/disruption-budget-strategy.ts'
import { eventStrategy } from '../resources/strategies/event-strategy.ts'
import { ingressClassStrategy, ingressStrategy } from '../resources/strategies/ingress-strategies.ts'
import { leaseStrategy } from '../resources/strategies/lease-strategy.ts'
import { namespaceStrategy } from '../resources/strategies/namespace-strategy.ts'
import { networkPolicyStrategy } from '../resources/strategies/network-policy-strategy.ts'
import { nodeStrategy } from '../resources/strategies/node-strategy.ts'
import { priorityClassStrategy } from '../resources/strategies/priority-class-strategy.ts'
import { serviceStrategy } from '../resources/strategies/service-strategy.ts'
import { volumeClaimStrategy, volumeStrategy } from '../resources/strategies/volume-strategies.ts'
import {
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  statefulSetStrategy,
} from '../resources/workloads/app-strategies.ts'
import { cronJobStrategy } from '../resources/workloads/cron-job-strategy.ts'
import { jobStrategy } from '../resources/workloads/job-strategy.ts'

const createOnUpdate: Strategy = { createsOnUpdate: true }

/** Strategies of built-in kinds, by the name of their collection in the store. */
const strategies: ReadonlyMap<string, Strategy> = new Map([
  ['/configmaps', configMapStrategy],
  ['/endpoints', createOnUpdate],
  ['/events', eventStrategy],
  ['/limitranges', { ...limitRangeStrategy, ...createOnUpdate }],
  ['/namespaces', namespaceStrategy],
  ['/nodes', nodeStrategy],
  ['/persistentvolumeclaims', volumeClaimStrategy],
  ['/persistentvolumes', volumeStrategy],
  ['/pods', podStrategy],
  ['/secrets', secretStrategy],
  ['/serviceaccounts', { returnsDeleted: true }],
  ['/services', serviceStrategy],
  ['admissionregistration.k8s.io/mutatingwebhookconfigurations', webhookStrategy(true)],
  ['admissionregistration.k8s.io/validatingadmissionpolicies', policyStrategy],
  ['admissionregistration.k8s.io/validatingadmissionpolicybindings', policyBindingStrategy],
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', webhookStrategy(false)],
  ['apiextensions.k8s.io/customresourcedefinitions', definitionStrategy],
  ['apps/daemonsets', daemonSetStrategy],
  ['apps/deployments', deploymentStrategy],
  ['apps/replicasets', replicaSetStrategy],
  ['apps/statefulsets', statefulSetStrategy],
  ['autoscaling/horizontalpodautoscalers', autoscalerStrategy],
  ['batch/cronjobs', cronJobStrategy],
  ['batch/jobs', jobStrategy],
  ['coordination.k8s.io/leases', leaseStrategy],
  ['networking.k8s.io/ingressclasses', ingressClassStrategy],
  ['networking.k8s.io/ingresses', ingressStrategy],
  ['networking.k8s.io/networkpolicies', networkPolicyStrategy],
  ['policy/poddisruptionbudgets', disruptionBudgetStrategy],
  ['rbac.authorization.k8s.io/clusterrolebindings', createOnUpdate],
  ['rbac.authorization.k8s.io/clusterroles', createOnUpdate],
  ['rbac.authorization.k8s.io/rolebindings', createOnUpdate],
  ['rbac.authorization.k8s.io/roles', createOnUpdate],
  ['scheduling.k8s.io/priorityclasses', priorityClassStrategy],
  ['storage.k8s.io/volumeattachments', { prepareStatusUpdate: updateStatusOnly }],
])

const defaultStrategy: Strategy = {}

/** Returns the write rules of a kind: those of its CustomResourceDefinition, those in the table, or upstream's defaults. */
export function strategyOf(kind: ResourceKind): Strategy {
  return kind.custom?.strategy ?? strategies.get(kind.storage) ?? defaultStrategy
}
