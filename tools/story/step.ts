import type { StoryContext } from './story-context.ts'

/** One chapter of the story. `run` throws when an expectation is not met. */
export interface Step {
  readonly title: string
  run(story: StoryContext): Promise<void>
}
