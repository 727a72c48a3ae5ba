import { percentOf } from '../../../capacity/rows/percent-of.ts'
import { shownAmount } from '../../../output/shown-amount.ts'
import { shownUnit } from '../shown-unit.ts'
import type { UiAmounts } from '../../model/ui-model.ts'

/** How full a cell is. The name of the colour; the text and the length of the bar say the same. */
export type Fullness = 'used' | 'busy' | 'full'

/** How a cell is drawn. */
export interface CellLook {
  /** `75%`, `over`, or an en dash where the node does not offer the resource. */
  readonly text: string
  /** Length of the bar, from 0 to 1. */
  readonly share: number
  readonly fullness: Fullness
  /** Drawn with hatching and an exclamation mark: some units are unhealthy. */
  readonly isUnhealthy: boolean
}

const BUSY_PERCENT = 75
const notOffered: CellLook = { text: '–', share: 0, fullness: 'used', isUnhealthy: false }

/** Returns how the cell of a node and a resource is drawn. */
export function cellLook(amounts: UiAmounts | null): CellLook {
  if (amounts === null) return notOffered
  const [allocatable, requested, , unhealthy] = amounts
  const isUnhealthy = unhealthy > 0
  const percent = percentOf(BigInt(requested), BigInt(allocatable))
  if (percent === undefined)
    return { text: requested > 0 ? 'over' : 'none', share: requested > 0 ? 1 : 0, fullness: 'full', isUnhealthy }
  const isOver = requested > allocatable
  return {
    text: `${isOver ? 'over' : `${percent}%`}${isUnhealthy ? ' !' : ''}`,
    share: Math.min(1, requested / allocatable),
    fullness: requested >= allocatable ? 'full' : percent >= BUSY_PERCENT ? 'busy' : 'used',
    isUnhealthy,
  }
}

/** Describes a cell in a sentence, for the line above the map and for screen readers. */
export function cellSentence(node: string, resource: string, amounts: UiAmounts | null): string {
  if (amounts === null) return `${node} does not offer ${resource}.`
  const [allocatable, requested, free, unhealthy] = amounts.map((value) => shownAmount(resource, BigInt(value)))
  const bad = amounts[3] > 0 ? `, ${unhealthy} unhealthy` : ''
  return `${node}, ${resource}: ${requested} of ${allocatable}${shownUnit(resource)} requested, ${free} free${bad}.`
}
