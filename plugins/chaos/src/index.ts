/** Random placement as scheduling plugins: the random node, the coin and the die of the book's chapter. */
import type { BerthPlugin } from '@berth/plugin-api'
import { coinFlip } from './coin-flip.ts'
import { dice } from './dice.ts'
import { randomScore } from './random-score.ts'

/** All plugins of this package. */
export const plugins: readonly BerthPlugin[] = [randomScore, coinFlip, dice]
