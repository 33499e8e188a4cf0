import data from './data.json' with { type: 'json', other: 'left alone' };
export default data;
