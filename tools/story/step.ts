import type { World } from './world.ts'

/** One chapter of the story. It throws when something does not come true. */
export interface Step {
  readonly title: string
  run(world: World): Promise<void>
}
