import type { Node } from '@berth/plugin-api'
import type { RunResourceSourceOptions } from '@berth/plugin-api/testing'

/** Returns a node with this number of seats in its annotation, or without the annotation. */
export const node = (seats?: string): Node => ({
  metadata: { name: 'node-a', annotations: seats === undefined ? {} : { 'example.com/seats': seats } },
})

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'example-annotation', RunResourceSourceOptions>> = {
  'example-annotation': { args: { annotation: 'example.com/seats' }, nodes: [node('12'), node('0')] },
}
