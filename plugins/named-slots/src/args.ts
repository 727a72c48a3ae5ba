import { absolutePath, containerPathConflicts, nodePermissions, type ScanArgs, scanArgs } from '@berth/device-discovery'
import { z } from 'zod'

/** A device node of the host that containers get with a slot. */
export interface SlotNode {
  readonly path: string
  readonly containerPath?: string | undefined
  readonly permissions: string
}

/** One slot. */
export interface Slot {
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  readonly deviceNodes: readonly SlotNode[]
}

/** Arguments of named-slots. */
export interface NamedSlotsArgs extends ScanArgs {
  readonly slots: readonly Slot[]
  readonly env: Readonly<Record<string, string>>
  readonly deviceNodes: readonly SlotNode[]
}

const env = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/, 'expected letters, digits and underscores'),
  z.string().max(32_768),
)

const deviceNodes = z.array(
  z.strictObject({
    path: absolutePath.describe('Device node on the host; may be a link.'),
    containerPath: absolutePath.optional().describe('Path in the container. Default: the path on the host.'),
    permissions: nodePermissions,
  }),
)

const slot = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'expected at most 63 letters, digits, dots, dashes or underscores')
    .describe('Id of the slot: unique on the node, and never changed while a pod holds the slot.'),
  env: env.default({}).describe('Environment variables of a container that holds the slot.'),
  deviceNodes: deviceNodes.max(100).default([]).describe('Device nodes of a container that holds the slot.'),
})

/** Schema of the arguments. */
export const argsSchema: z.ZodType<NamedSlotsArgs> = z
  .strictObject({
    slots: z.array(slot).min(1).max(10_000).describe('Slots to offer.'),
    env: env.default({}).describe('Environment variables of every container that holds a slot.'),
    deviceNodes: deviceNodes
      .max(100)
      .default([])
      .describe('Device nodes that belong to every slot, such as the device whose parts the slots are.'),
    ...scanArgs,
  })
  .superRefine(({ slots }, context) => {
    const first = new Map<string, number>()
    for (const [index, { name }] of slots.entries()) {
      const other = first.get(name)
      if (other === undefined) first.set(name, index)
      else
        context.addIssue({ code: 'custom', path: ['slots', index, 'name'], message: `slots[${other}] is ${name}, too` })
    }
  })
  .superRefine(({ slots, deviceNodes: common }, context) => {
    const nodes = [
      ...common.map((node, index) => ({ ...node, key: ['deviceNodes', index] })),
      ...slots.flatMap(({ deviceNodes: own }, slotIndex) =>
        own.map((node, index) => ({ ...node, key: ['slots', slotIndex, 'deviceNodes', index] })),
      ),
    ]
    for (const { node, earlier, containerPath } of containerPathConflicts(nodes)) {
      const message = `${earlier.path} has the container path ${containerPath}, too, and a container may get both`
      context.addIssue({ code: 'custom', path: [...node.key, 'containerPath'], message })
    }
  })
