/** The templates of plugins, for `npm run new` in a checkout of Berth. */
export { nameProblem } from './name-problem.ts'
export { checkoutFiles, type NewFile } from './plugin-files.ts'
export { templateKinds, type TemplateKind } from './template-kinds.ts'
