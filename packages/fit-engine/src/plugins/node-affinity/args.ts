import type { Node, NodeAffinity } from '@berth/types'
import { type NodeMatcher, nodeSelectorMatcher, nodeSelectorProblem } from '../../selectors/node-selector.ts'
import { parsePreferredTerms } from '../../selectors/preferred-terms.ts'
import { type ArgsSchema, type ObjectSchema, objectSchema, pluginArgsSchema } from '../args/args-schema.ts'
import { onlyFields, refuseArgs } from '../args/refuse-args.ts'

const PLUGIN = 'NodeAffinity'
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

/** `kubescheduler.config.k8s.io/v1` NodeAffinityArgs. */
export interface NodeAffinityArgs {
  readonly addedAffinity?: NodeAffinity
}

const requirements = (description: string): ArgsSchema => ({
  type: 'array',
  description,
  items: objectSchema(
    {
      key: { type: 'string', description: 'Label or field.' },
      operator: { type: 'string', description: 'In, NotIn, Exists, DoesNotExist, Gt or Lt.' },
      values: { type: 'array', items: { type: 'string' }, description: 'Values to compare with.' },
    },
    { required: ['key', 'operator'] },
  ),
})
const nodeSelectorTerm = objectSchema({
  matchExpressions: requirements('Requirements on labels of the node.'),
  matchFields: requirements('Requirements on fields of the node.'),
})

/** JSON Schema of {@link NodeAffinityArgs}. */
export const nodeAffinityArgsSchema: ObjectSchema = pluginArgsSchema({
  addedAffinity: objectSchema(
    {
      [REQUIRED]: objectSchema(
        {
          nodeSelectorTerms: {
            type: 'array',
            items: nodeSelectorTerm,
            description: 'Terms of which a node must match one.',
          },
        },
        { required: ['nodeSelectorTerms'], description: 'Nodes must match it.' },
      ),
      [PREFERRED]: {
        type: 'array',
        description: 'Nodes that match it score higher.',
        items: objectSchema(
          {
            weight: { type: 'integer', minimum: 1, maximum: 100, description: 'Share in the score.' },
            preference: nodeSelectorTerm,
          },
          { required: ['weight', 'preference'] },
        ),
      },
    },
    { description: 'Node affinity that is added to that of every pod.' },
  ),
})

/** The parsed affinity that a profile adds to that of every pod. */
export interface AddedAffinity {
  /** Undefined when every node matches. */
  readonly matchesRequired: NodeMatcher | undefined
  /** Undefined when no node is preferred. */
  readonly preferredWeightOf: ((node: Node) => number) | undefined
}

/**
 * Checks the arguments. Unlike those of pods, their terms must all be valid.
 *
 * @throws ProfileError BERTH_FIT_ARGS naming the field.
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/validation/validation_pluginargs.go (v1.36)
 */
export function parseNodeAffinityArgs(args: NodeAffinityArgs = {}): AddedAffinity {
  onlyFields(PLUGIN, '', args, ['addedAffinity'])
  const affinity = args.addedAffinity ?? {}
  onlyFields(PLUGIN, 'addedAffinity', affinity, [REQUIRED, PREFERRED])
  const required = affinity[REQUIRED]
  const problem = required == null ? undefined : nodeSelectorProblem(required)
  if (problem !== undefined) refuseArgs(PLUGIN, `addedAffinity.${REQUIRED}`, problem)
  const preferences = affinity[PREFERRED] ?? []
  const preferred = preferences.length === 0 ? undefined : parsePreferredTerms(preferences)
  if (preferred?.kind === 'invalid') refuseArgs(PLUGIN, `addedAffinity.${PREFERRED}`, preferred.problem)
  return {
    matchesRequired: required == null ? undefined : nodeSelectorMatcher(required),
    preferredWeightOf: preferred?.weightOf,
  }
}
