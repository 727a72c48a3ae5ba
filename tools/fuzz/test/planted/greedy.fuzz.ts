import { greedy } from './parsers.ts'
import { PlantedRefusal, plantedTarget } from './planted-target.ts'

export const contract: string = 'The text reads as itself.'
export const refusals: readonly unknown[] = [PlantedRefusal]
export const { parse, verify } = plantedTarget(greedy)
