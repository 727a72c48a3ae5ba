export { startControllers } from './start-controllers.ts'
