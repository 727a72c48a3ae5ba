/** Resource sources that read the node object and nothing else. */
import type { BerthPlugin } from '@berth/plugin-api'
import { nodeExpression } from './node-expression.ts'
import { podAddresses } from './pod-addresses.ts'
import { nodeAnnotation, nodeLabel } from './node-text.ts'

export const plugins: readonly BerthPlugin[] = [nodeLabel, nodeAnnotation, nodeExpression, podAddresses]
