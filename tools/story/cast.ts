import { UnmetExpectationError } from '@berth/testing'
import type { World } from './world.ts'

async function nodeNumber(world: World, index: number): Promise<string> {
  const name = (await world.readBack().nodes())[index]?.metadata.name
  if (name === undefined) throw new UnmetExpectationError(`the cluster has no node number ${index + 1}`)
  return name
}

/** The node that gets the dongles: the first by name. */
export function dongleNode(world: World): Promise<string> {
  return nodeNumber(world, 0)
}

/** The node with the made-up devices: the second by name. */
export function deviceNode(world: World): Promise<string> {
  return nodeNumber(world, 1)
}
