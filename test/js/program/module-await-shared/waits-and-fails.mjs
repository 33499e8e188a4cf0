await null;
throw new Error('after a wait');
