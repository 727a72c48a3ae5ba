import type { TypeMap } from './field-type.ts'
import { parseTypes } from './parse-types.ts'
import { accessTypes } from './types/access-types.ts'
import { containerTypes } from './types/container-types.ts'
import { coreTypes } from './types/core-types.ts'
import { definitionTypes } from './types/definition-types.ts'
import { metaTypes } from './types/meta-types.ts'
import { nodeTypes } from './types/node-types.ts'
import { otherTypes } from './types/other-types.ts'
import { podStatusTypes } from './types/pod-status-types.ts'
import { podTypes } from './types/pod-types.ts'
import { volumeTypes } from './types/volume-types.ts'
import { workloadTypes } from './types/workload-types.ts'

/** Every object type that the server knows, by name. */
export const knownTypes: TypeMap = parseTypes([
  metaTypes,
  podTypes,
  containerTypes,
  podStatusTypes,
  volumeTypes,
  nodeTypes,
  coreTypes,
  workloadTypes,
  otherTypes,
  accessTypes,
  definitionTypes,
])
