/** A process that runs seeds and sends what became of each: `seed-process.ts FROM SEEDS [MUTANT]`. */
import { mutants } from './mutants/mutants.ts'
import { plantMutant } from './mutants/plant-mutant.ts'

const [from = '1', seeds = '1', name] = process.argv.slice(2)
const mutant = mutants.find((each) => each.name === name)
if (name !== undefined && mutant === undefined) throw new RangeError(`there is no mutant ${name}`)
if (mutant !== undefined) plantMutant(mutant)
// Loaded after the mutant is planted.
const { runSeed } = await import('./run-seed.ts')
for (let seed = Number(from); seed < Number(from) + Number(seeds); seed++) process.send?.(await runSeed(seed))
process.disconnect?.()
