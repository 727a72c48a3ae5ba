import type { LabelSelector } from '@berth/types'
import type { ObjectWriter } from '../resources/context/object-writer.ts'
import { equalJson, listAt, valueAt, withField } from '../schema/json/json-object.ts'
import { labelMatcher } from '../resources/selectors/label-selector.ts'
import type { ServerContext } from '../resources/context/server-context.ts'

const CLUSTER_ROLES = 'rbac.authorization.k8s.io/clusterroles'

/**
 * Starts the controller that copies the rules of selected ClusterRoles into those with an aggregation rule.
 *
 * @see kubernetes pkg/controller/clusterroleaggregation (v1.36)
 */
export function startRoleAggregationController(context: ServerContext, writer: ObjectWriter): void {
  const roles = context.store.collection(CLUSTER_ROLES)
  let isScheduled = false
  context.store.subscribe((storage) => {
    if (storage !== CLUSTER_ROLES || isScheduled) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      for (const role of roles.list()) {
        const selectors = listAt(role, 'aggregationRule', 'clusterRoleSelectors')
        if (valueAt(role, 'aggregationRule') === undefined) continue
        const matchers = selectors.map((selector) => labelMatcher(selector as LabelSelector))
        const selected = roles
          .list()
          .filter((each) => each !== role && matchers.some((matches) => matches(each.metadata.labels)))
        const rules: unknown[] = []
        for (const rule of selected.flatMap((each) => listAt(each, 'rules'))) {
          if (!rules.some((known) => equalJson(known, rule))) rules.push(rule)
        }
        if (!equalJson(listAt(role, 'rules'), rules))
          writer.update(CLUSTER_ROLES, role, withField(role, 'rules', rules))
      }
    })
  })
}
