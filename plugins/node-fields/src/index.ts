/** Resource sources that read the node object and nothing else. */
import type { BerthPlugin } from '@berth/plugin-api'
import { nodeExpression } from './node-expression.ts'
import { nodeMetadata } from './node-metadata.ts'

export const plugins: readonly BerthPlugin[] = [nodeExpression, nodeMetadata]
