import { extendedResourceName } from '@berth/plugin-api'
import type { ExtendedResourceSpec } from '@berth/types'
import { z } from 'zod'
import { boundedMap, withRules } from './with-rules.ts'

/** Maximum number of nodes that one object names. A selector selects any number of nodes. */
const MAX_NAMES = 256
/** Maximum length of a label's key: a domain of 253 characters, a slash, and a name of 63. */
const MAX_LABEL_KEY = 317
const MAX_ARG_LENGTH = 2_048

const seconds = (max: number): z.ZodInt => z.int().min(1).max(max)
const name = (maxLength: number): z.ZodString => z.string().min(1).max(maxLength)

const resourceName = extendedResourceName.describe('Name of the extended resource, as pods request it.').meta({
  maxLength: 308,
  'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'resourceName cannot be changed' }],
})

const requirement = withRules(
  z.strictObject({
    key: name(MAX_LABEL_KEY).describe('Label key.'),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('How to compare the label.'),
    values: z
      .array(z.string().max(63))
      .max(64)
      .optional()
      .describe('Values to compare with. In and NotIn need at least one; the other operators take none.'),
  }),
  {
    rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
    holds: ({ operator, values = [] }) => ['In', 'NotIn'].includes(operator) === values.length > 0,
    message: 'In and NotIn take at least one value, and the other operators take none',
  },
)

const matchLabels = boundedMap(z.string().max(63), { maxEntries: 16, maxKeyLength: MAX_LABEL_KEY, key: 'a label key' })

const nodes = withRules(
  z.strictObject({
    names: z
      .array(name(253))
      .min(1)
      .max(MAX_NAMES)
      .refine((list) => new Set(list).size === list.length, 'a name is listed twice')
      .meta({ 'x-kubernetes-list-type': 'set' })
      .optional()
      .describe(`Names of nodes, at most ${MAX_NAMES}.`),
    selector: z
      .strictObject({
        matchLabels: matchLabels.optional().describe('Labels that a node must have.'),
        matchExpressions: z
          .array(requirement)
          .max(16)
          .optional()
          .describe('Conditions on labels. All must hold.')
          .meta({ 'x-kubernetes-list-type': 'atomic' }),
      })
      .optional()
      .describe('Label selector. {} selects every node.'),
  }),
  {
    rule: 'has(self.names) != has(self.selector)',
    holds: ({ names, selector }) => (names === undefined) !== (selector === undefined),
    message: 'expected either names or selector',
  },
)

const argument = z
  .union([z.int(), z.string().max(MAX_ARG_LENGTH)])
  .meta({ 'x-kubernetes-int-or-string': true, maxLength: MAX_ARG_LENGTH })
const args = boundedMap(argument, { maxEntries: 16, maxKeyLength: 63, key: 'the name of an argument' })

const units = (): z.ZodInt => z.int().min(0).meta({ format: 'int64' })

const source = withRules(
  z.strictObject({
    plugin: name(63).describe('Name of a resource source. Objects may use only sources that read the node itself.'),
    args: args.optional().describe('Arguments of the source. See its README.'),
    reading: z
      .enum(['total', 'free'])
      .default('total')
      .describe(
        'What the number of the source counts. total: all units of the node. free: those that are not in use; what running pods on the node request is added.',
      ),
    min: units().optional().describe('Minimum units. A smaller or negative number is raised to it.'),
    max: units().optional().describe('Maximum units. A larger number is lowered to it.'),
    step: z.int().min(1).default(1).meta({ format: 'int64' }).describe('The units are a multiple of it.'),
    rounding: z
      .enum(['down', 'up', 'nearest'])
      .default('down')
      .describe('How a number between two multiples of step is rounded.'),
    everySeconds: seconds(86_400).default(30).describe('Interval between two queries for one node, in seconds.'),
    timeoutSeconds: seconds(300).default(10).describe('Deadline of one query, in seconds.'),
    maxAgeSeconds: seconds(604_800)
      .default(300)
      .describe('Maximum age of a value, in seconds. With an older value, the node keeps its current amount.'),
    keepSeconds: seconds(31_536_000)
      .optional()
      .describe(
        'How long a node keeps its amount after the last good value, in seconds. Then it offers min units, or 0. Default: until the source answers again.',
      ),
  }),
  {
    rule: '!has(self.min) || !has(self.max) || self.min <= self.max',
    holds: ({ min, max }) => min === undefined || max === undefined || min <= max,
    message: 'min is at most max',
  },
  {
    rule: '(!has(self.min) || self.min % self.step == 0) && (!has(self.max) || self.max % self.step == 0)',
    holds: ({ min = 0, max = 0, step }) => min % step === 0 && max % step === 0,
    message: 'min and max are multiples of step',
  },
  {
    rule: '!has(self.keepSeconds) || self.keepSeconds >= self.maxAgeSeconds',
    holds: ({ keepSeconds, maxAgeSeconds }) => keepSeconds === undefined || keepSeconds >= maxAgeSeconds,
    message: 'keepSeconds is at least maxAgeSeconds',
  },
)

/** Schema of `spec`. The definition in the chart is generated from it, and the advertiser checks each object with it. */
export const specSchema = withRules(
  z.strictObject({
    resourceName,
    units: units().optional().describe('Units that each selected node offers: a whole number from 0 to 2^53-1.'),
    source: source.optional().describe('Source that computes the units of each selected node, instead of units.'),
    nodes: nodes.describe('Nodes that offer the resource: either names or selector.'),
    precedence: z
      .int()
      .min(-1_000)
      .max(1_000)
      .default(0)
      .describe(
        'Among objects that select one node for one resource, the one with the highest precedence applies, then the oldest, then the first by name. Declarations in the configuration file apply before all objects.',
      )
      .meta({ format: 'int32' }),
  }),
  {
    rule: 'has(self.units) != has(self.source)',
    holds: ({ units, source: computed }) => (units === undefined) !== (computed === undefined),
    message: 'expected either units or source',
  },
).describe('What the nodes offer.') satisfies z.ZodType<ExtendedResourceSpec>

/** A checked `spec`, with its defaults. */
export type CheckedSpec = z.output<typeof specSchema>
