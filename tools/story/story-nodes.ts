import { UnmetExpectationError } from '@berth/testing'
import type { StoryContext } from './story-context.ts'

async function nodeNameAt(story: StoryContext, index: number): Promise<string> {
  const name = (await story.readBack().nodes())[index]?.metadata.name
  if (name === undefined) throw new UnmetExpectationError(`the cluster has only ${index} nodes`)
  return name
}

/** Returns the name of the node that offers dongles: the first by name. */
export function dongleNode(story: StoryContext): Promise<string> {
  return nodeNameAt(story, 0)
}

/** Returns the name of the node with the simulated devices: the second by name. */
export function deviceNode(story: StoryContext): Promise<string> {
  return nodeNameAt(story, 1)
}
