/** Chaos for schedulers: the random node, the coin and the dice of the book's chapter, as plugins. */
import type { BerthPlugin } from '@berth/plugin-api'
import { coinFlip } from './coin-flip.ts'
import { dice } from './dice.ts'
import { randomScore } from './random-score.ts'

/** Every plugin of this package. */
export const plugins: readonly BerthPlugin[] = [randomScore, coinFlip, dice]
