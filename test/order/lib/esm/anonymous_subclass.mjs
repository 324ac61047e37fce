export default class extends Array {}
