import type { CaseGroup } from './runner/conformance-case.ts'
import { access } from './access/access.ts'
import { admitting } from './access/admitting.ts'
import { applying } from './objects/applying.ts'
import { controlling } from './workloads/controlling.ts'
import { custom } from './custom-resources/custom.ts'
import { creating } from './objects/creating.ts'
import { debugging } from './workloads/debugging.ts'
import { defining } from './custom-resources/defining.ts'
import { deleting } from './objects/deleting.ts'
import { discovering } from './objects/discovering.ts'
import { fitting } from './workloads/fitting.ts'
import { identities } from './access/identities.ts'
import { nodes } from './workloads/nodes.ts'
import { owning } from './objects/owning.ts'
import { patching } from './objects/patching.ts'
import { pods } from './workloads/pods.ts'
import { policies } from './access/policies.ts'
import { reading } from './objects/reading.ts'
import { resizing } from './workloads/resizing.ts'
import { rules } from './custom-resources/rules.ts'
import { statuses } from './objects/statuses.ts'
import { subresources } from './objects/subresources.ts'
import { updating } from './objects/updating.ts'
import { watching } from './objects/watching.ts'
import { webhooks } from './access/webhooks.ts'

/** Every group of cases for an API server, in the order in which they run. */
export const caseGroups: readonly CaseGroup[] = [
  discovering,
  creating,
  reading,
  updating,
  patching,
  applying,
  owning,
  deleting,
  watching,
  pods,
  nodes,
  statuses,
  subresources,
  resizing,
  fitting,
  debugging,
  controlling,
  defining,
  custom,
  rules,
  access,
  identities,
  admitting,
  policies,
  webhooks,
]
