export default class { static field = 1 }
